package io.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.internal.rule.Claim;
import io.weir.internal.rule.Fingerprint;
import io.weir.internal.rule.Limit;
import io.weir.internal.store.ClaimOutcome;
import io.weir.internal.store.MemoryStore;
import io.weir.store.StoreOperation;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The memory store decides like the reference store at every step of a random history: many
 * counters of few callers, so that they share segments, which are rebuilt while several of their
 * counters are in one decision.
 */
class MemoryStoreReferenceTest {
  private static final int STEPS_PER_ROUND = 2000;
  private static final StoreOperation[] OTHER_MODES = {
    StoreOperation.PEEK, StoreOperation.FORCE, StoreOperation.LEASE, StoreOperation.REFUND
  };

  @Test
  void memoryStore_equalsReferenceStore() {
    long seed = RandomHistory.seed();
    RandomHistory history = new RandomHistory(seed);
    int rounds = Math.max(20, RandomHistory.steps() / 500);
    for (int round = 0; round < rounds; round++) {
      FakeClock clock = new FakeClock();
      MemoryStore store = new MemoryStore(clock, 16 << 20);
      Fingerprint fingerprint = new Fingerprint(history.below(1 << 30), history.below(1 << 30));
      ReferenceStore reference = new ReferenceStore();
      List<Limit> limits = history.limits();
      for (int i = 0; i < STEPS_PER_ROUND; i++) {
        if (history.oneIn(3)) {
          clock.set(history.nextForward(limits.get(history.below(limits.size())).parameters()));
        }
        StoreOperation operation =
            history.oneIn(3) ? history.pick(List.of(OTHER_MODES)) : StoreOperation.TAKE;
        boolean all = operation == StoreOperation.REFUND && history.oneIn(3);
        Claim[] claims = history.claims(limits, fingerprint, all);
        ClaimOutcome[] outcomes = store.apply(claims, operation).join();
        assertThat(outcomes)
            .as(
                "-Dweir.seed=%d round %d step %d: %s %s",
                seed, round, i, operation, List.of(claims))
            .isEqualTo(reference.apply(claims, operation, clock.micros(), clock.micros()));
      }
    }
  }
}
