package io.weir.http.jwt;

/** Where the keys that serve now are to be had, without waiting. */
@FunctionalInterface
interface KeySource extends AutoCloseable {

  KeySet current();

  /** Notes that a token means a key that is not among them. */
  default void missed() {}

  @Override
  default void close() {}
}
