package io.weir.server.admin;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.weir.rules.database.StaleRevisionException;
import io.weir.server.web.InvalidInputException;
import java.util.function.LongUnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which revision a change is meant for, as {@code If-Match} and {@code If-None-Match} say it.
 *
 * @param revision where {@link PreconditionType#REVISION} is said
 */
record Precondition(PreconditionType type, long revision) {
  private static final Pattern ETAG_PATTERN = Pattern.compile("\"?([0-9]{1,18})\"?");
  private static final int MAX_ATTEMPTS = 5;

  /** What is said. */
  enum PreconditionType {
    /** Nothing: it is taken for something new. */
    NONE,
    /** Something new. */
    ABSENT,
    /** Whatever is there, or nothing. */
    ANY,
    /** A certain revision. */
    REVISION
  }

  static Precondition from(HttpServerRequest http) throws InvalidInputException {
    String match = http.getHeader(HttpHeaders.IF_MATCH);
    String noneMatch = http.getHeader(HttpHeaders.IF_NONE_MATCH);
    if (match == null && noneMatch == null) {
      return new Precondition(PreconditionType.NONE, 0);
    }
    if (match == null && "*".equals(noneMatch)) {
      return new Precondition(PreconditionType.ABSENT, 0);
    }
    Matcher tag = ETAG_PATTERN.matcher(match == null ? "" : match);
    if (noneMatch == null && tag.matches()) {
      return new Precondition(PreconditionType.REVISION, Long.parseLong(tag.group(1)));
    }
    if (noneMatch == null && "*".equals(match)) {
      return new Precondition(PreconditionType.ANY, 0);
    }
    throw new InvalidInputException(
        "send If-Match with the ETag you read, such as \"7\", or * for whatever is there;"
            + " or If-None-Match: * for something new");
  }

  boolean isPresent() {
    return type != PreconditionType.NONE;
  }

  /** The same, or whatever is there if nothing is said. */
  Precondition orAny() {
    return isPresent() ? this : new Precondition(PreconditionType.ANY, 0);
  }

  /**
   * Makes a change of what is meant.
   *
   * @param known the revision there is, as far as is known
   * @param change makes it of a revision
   * @throws StaleRevisionException if something else is there
   */
  long apply(long known, LongUnaryOperator change) {
    if (type != PreconditionType.ANY) {
      return change.applyAsLong(revision);
    }
    long there = known;
    for (int tries = 1; ; tries++) {
      try {
        return change.applyAsLong(there);
      } catch (StaleRevisionException e) {
        if (tries == MAX_ATTEMPTS || e.currentRevision() == there) {
          throw e;
        }
        there = e.currentRevision();
      }
    }
  }
}
