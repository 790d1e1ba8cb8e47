package io.weir.store;

import java.time.Duration;

/** Forwards each event to two listeners. */
record CompositeStoreListener(StoreListener first, StoreListener second) implements StoreListener {

  @Override
  public void onAnswer(StoreOperation operation, long micros) {
    first.onAnswer(operation, micros);
    second.onAnswer(operation, micros);
  }

  @Override
  public void onFailure(StoreFailureKind kind, String reason) {
    first.onFailure(kind, reason);
    second.onFailure(kind, reason);
  }

  @Override
  public void onUnavailable(String reason) {
    first.onUnavailable(reason);
    second.onUnavailable(reason);
  }

  @Override
  public void onRecovery(Duration outage) {
    first.onRecovery(outage);
    second.onRecovery(outage);
  }

  @Override
  public void onCorruptStates(int states) {
    first.onCorruptStates(states);
    second.onCorruptStates(states);
  }
}
