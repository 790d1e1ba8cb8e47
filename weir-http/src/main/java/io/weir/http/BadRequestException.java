package io.weir.http;

/**
 * Thrown for a malformed or ambiguous request, to be answered with 400 before anything is charged.
 * The message describes the problem without repeating input. There is no stack trace, so that a
 * flood of bad requests costs no more than one of good requests.
 */
public final class BadRequestException extends RuntimeException {
  /** The HTTP status to answer with. */
  public static final int STATUS = 400;

  BadRequestException(String reason) {
    super(reason, null, false, false);
  }
}
