package io.weir.store;

import java.time.Duration;

/**
 * Hears how a store behind a {@link Guard} fares, for metrics and alerts. It runs on the thread it
 * happens on, so it must be quick; what it throws is swallowed.
 */
public interface StoreListener {
  StoreListener NONE = new StoreListener() {};

  /** One that passes on to two what it hears. */
  static StoreListener both(StoreListener first, StoreListener second) {
    return new BothListeners(first, second);
  }

  /** A decision was answered in time, after so many microseconds. */
  default void answered(Mode mode, long micros) {}

  /** Decisions were not answered; their rules' postures were. */
  default void failed(StoreException.Kind kind, String reason) {}

  /** The store is asked no more, but for a probe now and then, since it does not answer. */
  default void lost(String reason) {}

  /** The store answers again. */
  default void found(Duration away) {}

  /** The store held what it could not have written; the state was taken as fresh. */
  default void corrupt(int states) {}
}
