package io.weir.redis;

import io.weir.store.Mode;
import io.weir.store.StoreException;
import io.weir.store.StoreListener;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** A listener that remembers. */
final class Heard implements StoreListener {
  final AtomicInteger answered = new AtomicInteger();
  final AtomicInteger failed = new AtomicInteger();
  final AtomicInteger lost = new AtomicInteger();
  final AtomicInteger found = new AtomicInteger();
  final AtomicInteger corrupt = new AtomicInteger();
  final Set<StoreException.Kind> kinds = ConcurrentHashMap.newKeySet();

  @Override
  public void answered(Mode mode, long micros) {
    answered.incrementAndGet();
  }

  @Override
  public void failed(StoreException.Kind kind, String reason) {
    failed.incrementAndGet();
    kinds.add(kind);
  }

  @Override
  public void lost(String reason) {
    lost.incrementAndGet();
  }

  @Override
  public void found(Duration away) {
    found.incrementAndGet();
  }

  @Override
  public void corrupt(int states) {
    corrupt.addAndGet(states);
  }
}
