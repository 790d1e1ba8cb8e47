package io.weir.http;

/**
 * A request that could be read in more than one way, to be answered with 400 before anything is
 * charged. Its message says what is wrong; it repeats nothing that was sent and has no stack trace,
 * since whoever floods a door with bad requests must not be given more work than with good ones.
 */
public final class BadRequestException extends RuntimeException {
  /** The status to answer with. */
  public static final int STATUS = 400;

  BadRequestException(String reason) {
    super(reason, null, false, false);
  }
}
