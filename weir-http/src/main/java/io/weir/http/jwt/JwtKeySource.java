package io.weir.http.jwt;

/** Provides the current verification keys without blocking. */
@FunctionalInterface
interface JwtKeySource extends AutoCloseable {

  JwtKeySet current();

  /** Called when a token refers to a key that is not in the current set. */
  default void onUnknownKey() {}

  @Override
  default void close() {}
}
