package io.weir.redis;

import io.weir.store.StoreFailureKind;
import io.weir.store.StoreListener;
import io.weir.store.StoreOperation;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts the events of a store. */
final class RecordingStoreListener implements StoreListener {
  final AtomicInteger answeredCount = new AtomicInteger();
  final AtomicInteger failedCount = new AtomicInteger();
  final AtomicInteger lostCount = new AtomicInteger();
  final AtomicInteger foundCount = new AtomicInteger();
  final AtomicInteger corruptStates = new AtomicInteger();
  final Set<StoreFailureKind> failureKinds = ConcurrentHashMap.newKeySet();

  @Override
  public void onAnswer(StoreOperation operation, long micros) {
    answeredCount.incrementAndGet();
  }

  @Override
  public void onFailure(StoreFailureKind kind, String reason) {
    failedCount.incrementAndGet();
    failureKinds.add(kind);
  }

  @Override
  public void onUnavailable(String reason) {
    lostCount.incrementAndGet();
  }

  @Override
  public void onRecovery(Duration away) {
    foundCount.incrementAndGet();
  }

  @Override
  public void onCorruptStates(int states) {
    corruptStates.addAndGet(states);
  }
}
