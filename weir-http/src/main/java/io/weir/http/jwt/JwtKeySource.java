package io.weir.http.jwt;

/** Where the keys that serve now are to be had, without waiting. */
@FunctionalInterface
interface JwtKeySource extends AutoCloseable {

  JwtKeySet current();

  /** Notes that a token means a key that is not among them. */
  default void onUnknownKey() {}

  @Override
  default void close() {}
}
