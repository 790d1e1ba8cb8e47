package io.weir.store;

import java.time.Duration;

/** Two listeners as one. */
record BothListeners(StoreListener first, StoreListener second) implements StoreListener {

  @Override
  public void answered(Mode mode, long micros) {
    first.answered(mode, micros);
    second.answered(mode, micros);
  }

  @Override
  public void failed(StoreException.Kind kind, String reason) {
    first.failed(kind, reason);
    second.failed(kind, reason);
  }

  @Override
  public void lost(String reason) {
    first.lost(reason);
    second.lost(reason);
  }

  @Override
  public void found(Duration away) {
    first.found(away);
    second.found(away);
  }

  @Override
  public void corrupt(int states) {
    first.corrupt(states);
    second.corrupt(states);
  }
}
