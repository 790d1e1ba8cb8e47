package io.weir.admin.alerts;

import io.weir.metrics.NodeHealth;
import io.weir.rule.RuleSet;
import io.weir.store.StoreHealth;
import java.time.Duration;

/** A node status that a test sets. */
final class StubNodeStatus implements NodeHealth {
  String state = "answers";
  Duration stale = Duration.ZERO;
  Duration drift = Duration.ZERO;
  long degraded;

  @Override
  public RuleSet rules() {
    return RuleSet.of();
  }

  @Override
  public Duration rulesStaleness() {
    return stale;
  }

  @Override
  public StoreHealth storeHealth() {
    return new StoreHealth(
        state.equals("answers"), state, drift, degraded, 0, 1, 0, 0, Duration.ZERO);
  }
}
