package io.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.internal.store.MemoryStore;
import io.weir.rule.LiveRules;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rule.RuleSource;
import io.weir.store.Clock;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Refunds of the filters of one application when a later filter refuses. */
class DecisionChainTest {
  private static final Request ANN = Request.of("ip", "10.0.0.1");

  private final Clock clock = () -> 1_800_000_000_000_000L;
  private final MemoryStore store = new MemoryStore(clock);
  private final DecisionChain chain = new DecisionChain(this);

  @Test
  void ruleReplacedBetweenFilters_isRefunded() {
    Rule first = Rule.named("first").per("ip").limit("10/minute").build();
    Rule added = Rule.named("added").per("ip").limit("10/minute").build();
    LiveRules rules = new LiveRules(List.of(first));
    Limiter early = limiter(rules);
    decide(early);
    rules.replace(List.of(added));
    early.decideNow(ANN.cost(4));
    refuse();
    rules.replace(List.of(first, added));
    assertThat(remaining(early, 0)).as("first").isEqualTo(10);
    assertThat(remaining(early, 1)).as("added").isEqualTo(6);
  }

  @Test
  void exhaustedShadowRule_isNotRefunded() {
    Limiter early =
        limiter(RuleSet.of(Rule.named("shadow").per("ip").limit("2/minute").shadow(true).build()));
    early.decideNow(ANN.cost(2));
    decide(early);
    refuse();
    assertThat(remaining(early, 0)).isZero();
  }

  private Limiter limiter(RuleSource rules) {
    return Weir.limiter(rules).store(store).clock(clock).build();
  }

  private void decide(Limiter limiter) {
    chain.add(limiter, limiter.decideNow(ANN), (name, value) -> {});
  }

  private void refuse() {
    decide(limiter(RuleSet.of(Rule.named("closed").limit("0/minute").build())));
  }

  private static long remaining(Limiter limiter, int rule) {
    return limiter.peek(ANN).join().rules().get(rule).remaining();
  }
}
