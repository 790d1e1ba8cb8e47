package io.weir.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Hears everything but that all is well. */
class Ears implements StoreListener {
  private final List<String> heard = new ArrayList<>();

  synchronized List<String> heard() {
    return List.copyOf(heard);
  }

  void hear(String what) {
    synchronized (this) {
      heard.add(what);
    }
  }

  @Override
  public void failed(StoreException.Kind kind, String reason) {
    hear("failed " + kind + " " + reason);
  }

  @Override
  public void lost(String reason) {
    hear("lost " + reason);
  }

  @Override
  public void found(Duration away) {
    hear("found after " + away.toMillis());
  }

  @Override
  public void corrupt(int states) {
    hear("corrupt " + states);
  }
}
