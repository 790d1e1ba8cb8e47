package io.weir.bench;

import io.weir.internal.rule.Claim;
import io.weir.internal.rule.CompiledRule;
import io.weir.internal.rule.Fingerprint;
import io.weir.internal.rule.Limit;
import io.weir.internal.store.MemoryStore;
import io.weir.rule.Rule;
import io.weir.store.Clock;
import io.weir.store.StoreOperation;
import java.io.IOException;
import java.util.Map;

/**
 * Twenty million counters in a JVM with a heap of 1 GB, none evicted and none rejected. A charge
 * expires after a quarter of an hour, longer than the run takes. Run with {@code ./bench memory}.
 */
final class ManyCountersBench {
  static final int CALLERS = 20_000_000;

  private ManyCountersBench() {}

  /** Runs in a separate JVM and returns the store's figures by name. */
  static Map<String, Double> run() throws IOException, InterruptedException {
    return ForkedJvm.run(ManyCountersBench.class, "1g");
  }

  public static void main(String[] args) throws InterruptedException {
    Limit limit =
        CompiledRule.of(Rule.named("api").per("user").limit("100/day").build()).limits().get(0);
    Fingerprint fingerprint = Fingerprint.random();
    MemoryStore store = new MemoryStore(Clock.system(), 900_000_000);
    long refused = 0;
    long start = System.nanoTime();
    for (int i = 0; i < CALLERS; i++) {
      Claim[] claims = {Claim.of(limit, fingerprint.of(BenchmarkKeys.userKey(i)), 1)};
      refused += store.apply(claims, StoreOperation.TAKE).join()[0].admitted() ? 0 : 1;
    }
    ForkedJvm.report("ns-each", (System.nanoTime() - start) / (double) CALLERS);
    ForkedJvm.report("heap", ForkedJvm.usedHeapBytes());
    ForkedJvm.report("bytes", store.bytes());
    ForkedJvm.report("counters", store.counters());
    ForkedJvm.report("evicted", store.evicted());
    ForkedJvm.report("turned-away", store.rejectedForSpace());
    ForkedJvm.report("refused", refused);
  }
}
