package io.weir.store;

/**
 * Holds the counters of limiters: the memory of this JVM, or Redis. Passed to {@link
 * io.weir.Weir.LimiterBuilder#store} and closed by its owner. Thread-safe.
 *
 * <p>Implemented by Weir only.
 */
public interface Store extends AutoCloseable {

  /** Returns whether this node expects the store to answer now; cheap to call. */
  default boolean isAvailable() {
    return health().available();
  }

  /** Returns the health of this store, as this node sees it. */
  default StoreHealth health() {
    return StoreHealth.ALWAYS_AVAILABLE;
  }

  /** Releases the resources of this store, which must not be used afterwards. */
  @Override
  default void close() {}
}
