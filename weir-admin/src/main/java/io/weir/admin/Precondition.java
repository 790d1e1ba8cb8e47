package io.weir.admin;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.weir.rules.database.StaleRevisionException;
import io.weir.web.InvalidInputException;
import java.util.function.LongUnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The revision a change applies to, from the {@code If-Match} and {@code If-None-Match} headers.
 *
 * @param revision the expected revision, for {@link PreconditionType#REVISION}
 */
record Precondition(PreconditionType type, long revision) {
  private static final Pattern ETAG_PATTERN = Pattern.compile("\"?([0-9]{1,18})\"?");
  private static final int MAX_ATTEMPTS = 5;

  /** The types of preconditions. */
  enum PreconditionType {
    /** No header: the resource must not exist. */
    NONE,
    /** The resource must not exist. */
    ABSENT,
    /** Any revision, or none. */
    ANY,
    /** One revision. */
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
        "If-Match must be the ETag you read, for example \"7\", or * for any revision;"
            + " to create, send If-None-Match: *");
  }

  boolean isPresent() {
    return type != PreconditionType.NONE;
  }

  /** Returns this precondition, or {@link PreconditionType#ANY} if no header was sent. */
  Precondition orAny() {
    return isPresent() ? this : new Precondition(PreconditionType.ANY, 0);
  }

  /**
   * Applies a change to the revision this precondition names. For {@link PreconditionType#ANY} the
   * change is retried on the current revision.
   *
   * @param known the current revision, as far as this node knows
   * @param change applies the change to a revision and returns the new one
   * @throws StaleRevisionException if the current revision is another one
   */
  long apply(long known, LongUnaryOperator change) {
    if (type != PreconditionType.ANY) {
      return change.applyAsLong(revision);
    }
    long current = known;
    for (int attempts = 1; ; attempts++) {
      try {
        return change.applyAsLong(current);
      } catch (StaleRevisionException e) {
        if (attempts == MAX_ATTEMPTS || e.currentRevision() == current) {
          throw e;
        }
        current = e.currentRevision();
      }
    }
  }
}
