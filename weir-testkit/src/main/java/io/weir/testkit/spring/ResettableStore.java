package io.weir.testkit.spring;

import io.weir.internal.rule.Claim;
import io.weir.internal.rule.Fingerprint;
import io.weir.internal.store.ClaimOutcome;
import io.weir.internal.store.ClaimStore;
import io.weir.internal.store.MemoryStore;
import io.weir.store.Clock;
import io.weir.store.StoreOperation;
import java.util.concurrent.CompletableFuture;

/** A store in memory that can be reset, for applications that are shared between tests. */
final class ResettableStore implements ClaimStore {
  private static final long MAX_BYTES = 8 << 20;

  private final Clock clock;
  private volatile ClaimStore counters;

  ResettableStore(Clock clock) {
    this.clock = clock;
    counters = new MemoryStore(clock, MAX_BYTES);
  }

  /** Makes all counters fresh. */
  void reset() {
    counters = new MemoryStore(clock, MAX_BYTES);
  }

  @Override
  public CompletableFuture<ClaimOutcome[]> apply(
      Claim[] claims, StoreOperation operation, long when) {
    return counters.apply(claims, operation, when);
  }

  @Override
  public Fingerprint fingerprint() {
    return counters.fingerprint();
  }
}
