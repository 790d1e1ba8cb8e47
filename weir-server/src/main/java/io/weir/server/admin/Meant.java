package io.weir.server.admin;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.weir.rules.database.StaleRevisionException;
import io.weir.server.web.BadInput;
import java.util.function.LongUnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which revision a change is meant for, as {@code If-Match} and {@code If-None-Match} say it.
 *
 * @param revision where {@link Kind#THIS} is said
 */
record Meant(Kind kind, long revision) {
  private static final Pattern TAG = Pattern.compile("\"?([0-9]{1,18})\"?");
  private static final int TRIES = 5;

  /** What is said. */
  enum Kind {
    /** Nothing: it is taken for something new. */
    UNSAID,
    /** Something new. */
    NEW,
    /** Whatever is there, or nothing. */
    WHATEVER,
    /** A certain revision. */
    THIS
  }

  static Meant by(HttpServerRequest http) throws BadInput {
    String match = http.getHeader(HttpHeaders.IF_MATCH);
    String noneMatch = http.getHeader(HttpHeaders.IF_NONE_MATCH);
    if (match == null && noneMatch == null) {
      return new Meant(Kind.UNSAID, 0);
    }
    if (match == null && "*".equals(noneMatch)) {
      return new Meant(Kind.NEW, 0);
    }
    Matcher tag = TAG.matcher(match == null ? "" : match);
    if (noneMatch == null && tag.matches()) {
      return new Meant(Kind.THIS, Long.parseLong(tag.group(1)));
    }
    if (noneMatch == null && "*".equals(match)) {
      return new Meant(Kind.WHATEVER, 0);
    }
    throw new BadInput(
        "send If-Match with the ETag you read, such as \"7\", or * for whatever is there;"
            + " or If-None-Match: * for something new");
  }

  boolean isSaid() {
    return kind != Kind.UNSAID;
  }

  /** The same, or whatever is there if nothing is said. */
  Meant orWhatever() {
    return isSaid() ? this : new Meant(Kind.WHATEVER, 0);
  }

  /**
   * Makes a change of what is meant.
   *
   * @param known the revision there is, as far as is known
   * @param change makes it of a revision
   * @throws StaleRevisionException if something else is there
   */
  long of(long known, LongUnaryOperator change) {
    if (kind != Kind.WHATEVER) {
      return change.applyAsLong(revision);
    }
    long there = known;
    for (int tries = 1; ; tries++) {
      try {
        return change.applyAsLong(there);
      } catch (StaleRevisionException e) {
        if (tries == TRIES || e.current() == there) {
          throw e;
        }
        there = e.current();
      }
    }
  }
}
