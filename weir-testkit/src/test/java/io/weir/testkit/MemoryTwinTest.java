package io.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rule.Claim;
import io.weir.rule.Fingerprint;
import io.weir.rule.Limit;
import io.weir.store.MemoryStore;
import io.weir.store.Mode;
import io.weir.store.Outcome;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The memory store says what a mere map of states says, at every step of a random history: many
 * counters of few callers, so that they share segments, which are built anew while several of them
 * are decided on.
 */
class MemoryTwinTest {
  private static final int STEPS_PER_ROUND = 2000;
  private static final Mode[] OTHER_MODES = {Mode.PEEK, Mode.FORCE, Mode.LEASE, Mode.REFUND};

  @Test
  void saysTheSame() {
    long seed = History.seed();
    History history = new History(seed);
    int rounds = Math.max(20, History.steps() / 500);
    for (int round = 0; round < rounds; round++) {
      FakeClock clock = new FakeClock();
      MemoryStore store = new MemoryStore(clock, 16 << 20);
      Fingerprint fingerprint = new Fingerprint(history.below(1 << 30), history.below(1 << 30));
      MereMap map = new MereMap();
      List<Limit> limits = history.limits();
      for (int i = 0; i < STEPS_PER_ROUND; i++) {
        if (history.oneIn(3)) {
          clock.set(history.nextForward(limits.get(history.below(limits.size())).terms()));
        }
        Mode mode = history.oneIn(3) ? history.oneOf(List.of(OTHER_MODES)) : Mode.TAKE;
        boolean all = mode == Mode.REFUND && history.oneIn(3);
        Claim[] claims = history.claims(limits, fingerprint, all);
        Outcome[] said = store.take(claims, mode).join();
        assertThat(said)
            .as("-Dweir.seed=%d round %d step %d: %s %s", seed, round, i, mode, List.of(claims))
            .isEqualTo(map.take(claims, mode, clock.micros(), clock.micros()));
      }
    }
  }
}
