package io.weir.internal.store;

import io.weir.store.StoreFailureKind;
import io.weir.store.StoreListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Records all events except successful answers. */
class EventRecordingListener implements StoreListener {
  private final List<String> events = new ArrayList<>();

  synchronized List<String> events() {
    return List.copyOf(events);
  }

  void record(String event) {
    synchronized (this) {
      events.add(event);
    }
  }

  @Override
  public void onFailure(StoreFailureKind kind, String reason) {
    record("failed " + kind + " " + reason);
  }

  @Override
  public void onUnavailable(String reason) {
    record("unavailable " + reason);
  }

  @Override
  public void onRecovery(Duration outage) {
    record("recovered after " + outage.toMillis());
  }

  @Override
  public void onCorruptStates(int states) {
    record("corrupt " + states);
  }
}
