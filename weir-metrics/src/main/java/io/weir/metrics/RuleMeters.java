package io.weir.metrics;

import static java.util.Locale.ROOT;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.weir.rule.Posture;
import io.weir.rule.Rule;
import io.weir.store.Outcome;
import io.weir.store.nodes.Overshoot;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The counters of one rule. */
final class RuleMeters {
  private final MeterRegistry registry;
  private final String rule;
  private final Counter allowed;
  private final Counter refused;
  private final Counter shadowRefused;
  private final AtomicLong overshoot = new AtomicLong();
  private @Nullable Gauge bound;
  private final Map<Posture.Answer, Counter> degraded = new ConcurrentHashMap<>();

  RuleMeters(MeterRegistry registry, String rule) {
    this.registry = registry;
    this.rule = rule;
    allowed = decisions("allowed");
    refused = decisions("refused");
    shadowRefused = decisions("shadow_refused");
  }

  void count(boolean shadow, Posture.Answer posture, Outcome outcome) {
    (outcome.fits() ? allowed : shadow ? shadowRefused : refused).increment();
    if (outcome.degraded()) {
      degraded(posture).increment();
    }
  }

  /** Made before it is needed, so that the first one is seen to rise from zero. */
  Counter degraded(Posture.Answer posture) {
    return degraded.computeIfAbsent(
        posture,
        answer ->
            Counter.builder("weir.degraded.decisions")
                .description("What rules answered by their posture, the store having had no answer")
                .tag("rule", rule)
                .tag("posture", answer.name().toLowerCase(ROOT))
                .register(registry));
  }

  /** Says by how much nodes together may overrun one of the rule's counters, if they may. */
  void overshoot(Rule counted, int nodes) {
    long most = Overshoot.of(counted, nodes);
    overshoot.set(most);
    if (most > 0 && bound == null) {
      bound =
          Gauge.builder("weir.overshoot.permits", overshoot, AtomicLong::doubleValue)
              .description("By how many permits nodes together may overrun one counter, at most")
              .tag("rule", rule)
              .register(registry);
    }
  }

  /** How often it was met. */
  double counted() {
    return allowed.count() + refused.count() + shadowRefused.count();
  }

  void remove() {
    registry.remove(allowed);
    registry.remove(refused);
    registry.remove(shadowRefused);
    degraded.values().forEach(registry::remove);
    if (bound != null) {
      registry.remove(bound);
    }
  }

  private Counter decisions(String outcome) {
    return Counter.builder("weir.decisions")
        .description("What each rule said of the requests it met")
        .tag("rule", rule)
        .tag("outcome", outcome)
        .register(registry);
  }
}
