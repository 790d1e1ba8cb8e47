package io.weir.testkit.spring;

import io.weir.rule.Claim;
import io.weir.rule.Fingerprint;
import io.weir.store.ClaimOutcome;
import io.weir.store.Clock;
import io.weir.store.MemoryStore;
import io.weir.store.Store;
import io.weir.store.StoreOperation;
import java.util.concurrent.CompletableFuture;

/** Counters in memory that can all be made fresh, for applications that outlive a test. */
final class ResettableStore implements Store {
  private static final long MAX_BYTES = 8 << 20;

  private final Clock clock;
  private volatile Store counters;

  ResettableStore(Clock clock) {
    this.clock = clock;
    counters = new MemoryStore(clock, MAX_BYTES);
  }

  void reset() {
    counters = new MemoryStore(clock, MAX_BYTES);
  }

  @Override
  public CompletableFuture<ClaimOutcome[]> apply(Claim[] claims, StoreOperation mode, long when) {
    return counters.apply(claims, mode, when);
  }

  @Override
  public Fingerprint fingerprint() {
    return counters.fingerprint();
  }
}
