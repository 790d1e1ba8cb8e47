package io.weir.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Hears everything but that all is well. */
class EventRecordingListener implements StoreListener {
  private final List<String> events = new ArrayList<>();

  synchronized List<String> events() {
    return List.copyOf(events);
  }

  void record(String what) {
    synchronized (this) {
      events.add(what);
    }
  }

  @Override
  public void onFailure(StoreException.StoreFailureKind kind, String reason) {
    record("failed " + kind + " " + reason);
  }

  @Override
  public void onUnavailable(String reason) {
    record("lost " + reason);
  }

  @Override
  public void onRecovery(Duration away) {
    record("found after " + away.toMillis());
  }

  @Override
  public void onCorruptStates(int states) {
    record("corrupt " + states);
  }
}
