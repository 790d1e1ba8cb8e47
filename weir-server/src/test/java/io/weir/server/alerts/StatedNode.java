package io.weir.server.alerts;

import io.weir.metrics.Vitals;
import io.weir.rule.RuleSet;
import io.weir.store.Health;
import java.time.Duration;

/** A node whose state a test sets. */
final class StatedNode implements Vitals {
  String state = "answers";
  Duration stale = Duration.ZERO;
  Duration drift = Duration.ZERO;
  long degraded;

  @Override
  public RuleSet rules() {
    return RuleSet.of();
  }

  @Override
  public Duration stale() {
    return stale;
  }

  @Override
  public Health store() {
    return new Health(state.equals("answers"), state, drift, degraded, 0, 1, 0, 0, Duration.ZERO);
  }
}
