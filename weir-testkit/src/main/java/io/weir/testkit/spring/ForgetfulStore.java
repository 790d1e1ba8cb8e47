package io.weir.testkit.spring;

import io.weir.rule.Claim;
import io.weir.rule.Fingerprint;
import io.weir.store.Clock;
import io.weir.store.MemoryStore;
import io.weir.store.Mode;
import io.weir.store.Outcome;
import io.weir.store.Store;
import java.util.concurrent.CompletableFuture;

/** Counters in memory that can all be made fresh, for applications that outlive a test. */
final class ForgetfulStore implements Store {
  private static final long BYTES = 8 << 20;

  private final Clock clock;
  private volatile Store counters;

  ForgetfulStore(Clock clock) {
    this.clock = clock;
    counters = new MemoryStore(clock, BYTES);
  }

  void forget() {
    counters = new MemoryStore(clock, BYTES);
  }

  @Override
  public CompletableFuture<Outcome[]> take(Claim[] claims, Mode mode, long when) {
    return counters.take(claims, mode, when);
  }

  @Override
  public Fingerprint fingerprint() {
    return counters.fingerprint();
  }
}
