package io.weir.rules.envoy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Decision;
import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.internal.decision.EvaluatedDecision;
import io.weir.internal.store.MemoryStore;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rules.Rules;
import io.weir.store.StoreOperation;
import io.weir.testkit.FakeClock;
import io.weir.testkit.RandomHistory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Imported rules decide like the configuration, for random configurations and calls. */
class EnvoyDifferenceTest {
  private static final int CONFIGURATIONS = 400;
  private static final int CALLS = 200;

  @Test
  void importedRules_decideLikeEnvoy() {
    long seed = RandomHistory.seed();
    RandomHistory history = new RandomHistory(seed);
    int refused = 0;
    int matched = 0;
    for (int i = 0; i < CONFIGURATIONS; i++) {
      EnvoyModel model = new EnvoyModel(history);
      List<Rule> rules = EnvoyRules.read("envoy.yaml", model.configurationText());
      List<String> parts = model.splitTexts();
      assertThat(EnvoyRules.read(List.of(source("1", parts.get(0)), source("2", parts.get(1)))))
          .as("in two files, seed " + seed)
          .isEqualTo(rules);
      assertThat(Rules.read(Rules.toYaml(rules))).as("after a round trip").isEqualTo(rules);
      FakeClock clock = new FakeClock();
      Limiter limiter =
          Weir.limiter(RuleSet.of(1, rules)).store(new MemoryStore(clock, 1 << 20)).build();
      for (int k = 0; k < CALLS; k++) {
        List<List<String>> descriptors = new ArrayList<>();
        for (int n = history.oneIn(3) ? 1 + history.below(3) : 1; n > 0; n--) {
          descriptors.add(model.randomDescriptor());
        }
        long hits = 1L + history.below(2);
        List<Decision> decisions =
            limiter
                .executeAll(
                    descriptors.stream().map(d -> request(d, hits)).toList(), StoreOperation.TAKE)
                .join();
        List<Boolean> expected = model.decide(descriptors, hits, clock.micros());
        List<Boolean> allowed = decisions.stream().map(Decision::allowed).toList();
        boolean once = decisions.stream().allMatch(d -> EvaluatedDecision.of(d).claimCount() <= 1);
        if (!once || !allowed.equals(expected)) {
          throw new AssertionError(
              "-Dweir.seed=%d: %s of %d hits: %s instead of %s under%n%s%s"
                  .formatted(
                      seed,
                      descriptors,
                      hits,
                      decisions,
                      expected,
                      model.configurationText(),
                      Rules.toYaml(rules)));
        }
        refused += expected.contains(false) ? 1 : 0;
        matched +=
            decisions.stream().anyMatch(d -> EvaluatedDecision.of(d).claimCount() == 1) ? 1 : 0;
        if (history.oneIn(10)) {
          clock.advance(Duration.ofSeconds(history.pick(List.of(1, 61, 3601, 86_401, 2_600_000))));
        }
      }
    }
    int calls = CONFIGURATIONS * CALLS;
    assertThat(refused).as("refused calls").isBetween(calls / 20, calls / 2);
    assertThat(matched).isGreaterThan(calls / 4);
  }

  private static EnvoyRules.EnvoySource source(String name, String text) {
    return new EnvoyRules.EnvoySource(name, text.getBytes(UTF_8));
  }

  private static Request request(List<String> pairs, long hits) {
    EnvoyDescriptor descriptor = new EnvoyDescriptor("edge");
    for (int i = 0; i < pairs.size(); i += 2) {
      descriptor.add(pairs.get(i), pairs.get(i + 1));
    }
    return Request.of(descriptor.pairs()).cost(hits);
  }
}
