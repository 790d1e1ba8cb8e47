package io.weir.store;

import io.weir.internal.store.StoreFailureGuard;
import java.time.Duration;

/**
 * Receives the events of a store behind a {@link StoreFailureGuard}, for metrics and alerts. Called
 * on the thread on which the event happens, so it must be quick; exceptions that it throws are
 * ignored.
 */
public interface StoreListener {
  /** Ignores all events. */
  StoreListener NONE = new StoreListener() {};

  /** A listener that forwards each event to both. */
  static StoreListener combine(StoreListener first, StoreListener second) {
    return new CompositeStoreListener(first, second);
  }

  /** A decision was answered in time, after this many microseconds. */
  default void onAnswer(StoreOperation operation, long micros) {}

  /** The store did not answer a decision; the rules' fallbacks did. */
  default void onFailure(StoreFailureKind kind, String reason) {}

  /** The store is marked unavailable: it receives only periodic probes until it answers again. */
  default void onUnavailable(String reason) {}

  /** The store answers again. */
  default void onRecovery(Duration outage) {}

  /** The store held states that cannot be valid; they were treated as fresh. */
  default void onCorruptStates(int states) {}
}
