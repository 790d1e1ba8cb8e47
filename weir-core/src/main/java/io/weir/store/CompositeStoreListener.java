package io.weir.store;

import java.time.Duration;

/** Two listeners as one. */
record CompositeStoreListener(StoreListener first, StoreListener second) implements StoreListener {

  @Override
  public void onAnswer(StoreOperation mode, long micros) {
    first.onAnswer(mode, micros);
    second.onAnswer(mode, micros);
  }

  @Override
  public void onFailure(StoreException.StoreFailureKind kind, String reason) {
    first.onFailure(kind, reason);
    second.onFailure(kind, reason);
  }

  @Override
  public void onUnavailable(String reason) {
    first.onUnavailable(reason);
    second.onUnavailable(reason);
  }

  @Override
  public void onRecovery(Duration away) {
    first.onRecovery(away);
    second.onRecovery(away);
  }

  @Override
  public void onCorruptStates(int states) {
    first.onCorruptStates(states);
    second.onCorruptStates(states);
  }
}
