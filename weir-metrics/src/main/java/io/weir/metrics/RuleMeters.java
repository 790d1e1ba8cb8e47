package io.weir.metrics;

import static java.util.Locale.ROOT;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.weir.rule.Rule;
import io.weir.rule.StoreFailureFallback;
import io.weir.store.ClaimOutcome;
import io.weir.store.nodes.OvershootBound;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The counters of one rule. */
final class RuleMeters {
  private final MeterRegistry registry;
  private final String ruleId;
  private final Counter allowed;
  private final Counter refused;
  private final Counter shadowRefused;
  private final AtomicLong overshoot = new AtomicLong();
  private @Nullable Gauge overshootGauge;
  private final Map<StoreFailureFallback.FallbackAction, Counter> degraded =
      new ConcurrentHashMap<>();

  RuleMeters(MeterRegistry registry, String rule) {
    this.registry = registry;
    this.ruleId = rule;
    allowed = decisionCounter("allowed");
    refused = decisionCounter("refused");
    shadowRefused = decisionCounter("shadow_refused");
  }

  void count(boolean shadow, StoreFailureFallback.FallbackAction posture, ClaimOutcome outcome) {
    (outcome.admitted() ? allowed : shadow ? shadowRefused : refused).increment();
    if (outcome.degraded()) {
      degradedCounter(posture).increment();
    }
  }

  /** Made before it is needed, so that the first one is seen to rise from zero. */
  Counter degradedCounter(StoreFailureFallback.FallbackAction posture) {
    return degraded.computeIfAbsent(
        posture,
        answer ->
            Counter.builder("weir.degraded.decisions")
                .description("What rules answered by their posture, the store having had no answer")
                .tag("rule", ruleId)
                .tag("posture", answer.name().toLowerCase(ROOT))
                .register(registry));
  }

  /** Says by how much nodes together may overrun one of the rule's counters, if they may. */
  void updateOvershoot(Rule counted, int nodes) {
    long most = OvershootBound.of(counted, nodes);
    overshoot.set(most);
    if (most > 0 && overshootGauge == null) {
      overshootGauge =
          Gauge.builder("weir.overshoot.permits", overshoot, AtomicLong::doubleValue)
              .description("By how many permits nodes together may overrun one counter, at most")
              .tag("rule", ruleId)
              .register(registry);
    }
  }

  /** How often it was met. */
  double totalCount() {
    return allowed.count() + refused.count() + shadowRefused.count();
  }

  void remove() {
    registry.remove(allowed);
    registry.remove(refused);
    registry.remove(shadowRefused);
    degraded.values().forEach(registry::remove);
    if (overshootGauge != null) {
      registry.remove(overshootGauge);
    }
  }

  private Counter decisionCounter(String outcome) {
    return Counter.builder("weir.decisions")
        .description("What each rule said of the requests it met")
        .tag("rule", ruleId)
        .tag("outcome", outcome)
        .register(registry);
  }
}
