package io.weir.server.alerts;

import io.weir.rule.RuleSet;
import io.weir.server.metrics.Vitals;
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
  public boolean storeAvailable() {
    return state.equals("answers");
  }

  @Override
  public String storeState() {
    return state;
  }

  @Override
  public Duration drift() {
    return drift;
  }

  @Override
  public long degraded() {
    return degraded;
  }
}
