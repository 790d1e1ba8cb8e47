package io.weir.server.resp;

/** Bytes that are not a command of the Redis protocol; the connection is closed. */
final class RespProtocolException extends Exception {
  private static final long serialVersionUID = 1;

  RespProtocolException(String message) {
    super(message);
  }
}
