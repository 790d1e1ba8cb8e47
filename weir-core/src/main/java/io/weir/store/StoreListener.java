package io.weir.store;

import java.time.Duration;

/**
 * Hears how a store behind a {@link StoreFailureGuard} fares, for metrics and alerts. It runs on
 * the thread it happens on, so it must be quick; what it throws is swallowed.
 */
public interface StoreListener {
  StoreListener NONE = new StoreListener() {};

  /** One that passes on to two what it hears. */
  static StoreListener combine(StoreListener first, StoreListener second) {
    return new CompositeStoreListener(first, second);
  }

  /** A decision was answered in time, after so many microseconds. */
  default void onAnswer(StoreOperation mode, long micros) {}

  /** Decisions were not answered; their rules' postures were. */
  default void onFailure(StoreException.StoreFailureKind kind, String reason) {}

  /** The store is asked no more, but for a probe now and then, since it does not answer. */
  default void onUnavailable(String reason) {}

  /** The store answers again. */
  default void onRecovery(Duration away) {}

  /** The store held what it could not have written; the state was taken as fresh. */
  default void onCorruptStates(int states) {}
}
