package io.weir.metrics;

import static java.util.Locale.ROOT;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.weir.internal.rule.Limit;
import io.weir.internal.store.ClaimOutcome;
import io.weir.internal.store.nodes.OvershootBound;
import io.weir.rule.CalendarSettings;
import io.weir.rule.Rule;
import io.weir.rule.StoreFailureFallback;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The meters of one rule. */
final class RuleMeters {
  private final MeterRegistry registry;
  private final String ruleId;
  private final Counter allowed;
  private final Counter refused;
  private final Counter shadowRefused;
  private volatile @Nullable Counter blocked;
  private final AtomicLong overshoot = new AtomicLong();
  private @Nullable Gauge overshootGauge;
  private final AtomicLong invalidCalendarValues = new AtomicLong();
  private @Nullable FunctionCounter invalidCalendarCounter;
  private final Map<StoreFailureFallback.FallbackAction, Counter> degraded =
      new ConcurrentHashMap<>();

  RuleMeters(MeterRegistry registry, String rule) {
    this.registry = registry;
    this.ruleId = rule;
    allowed = decisionCounter("allowed");
    refused = decisionCounter("refused");
    shadowRefused = decisionCounter("shadow_refused");
  }

  void count(Limit limit, ClaimOutcome outcome) {
    if (outcome.admitted()) {
      allowed.increment();
    } else if (limit.shadow()) {
      shadowRefused.increment();
    } else if (limit.isCounted()) {
      refused.increment();
    } else {
      blockedCounter().increment();
    }
    if (outcome.degraded()) {
      degradedCounter(limit.rule().fallback().action()).increment();
    }
  }

  /** Only rules that block, or refuse without an attribute, have this counter. */
  Counter blockedCounter() {
    Counter counter = blocked;
    if (counter == null) {
      counter = decisionCounter("blocked");
      blocked = counter;
    }
    return counter;
  }

  /** Created before it is needed, so that the first increment is visible as a rise from zero. */
  Counter degradedCounter(StoreFailureFallback.FallbackAction fallback) {
    return degraded.computeIfAbsent(
        fallback,
        answer ->
            Counter.builder("weir.degraded.decisions")
                .description("Decisions by the fallback of rules, because the store did not answer")
                .tag("rule", ruleId)
                .tag("posture", answer.name().toLowerCase(ROOT))
                .register(registry));
  }

  /** Updates by how much all nodes together may exceed one counter of the rule. */
  void updateOvershoot(Rule counted, int nodes) {
    long maxOvershoot = OvershootBound.of(counted, nodes);
    overshoot.set(maxOvershoot);
    if (maxOvershoot > 0 && overshootGauge == null) {
      overshootGauge =
          Gauge.builder("weir.overshoot.permits", overshoot, AtomicLong::doubleValue)
              .description("Permits by which all nodes together may exceed one counter, at most")
              .tag("rule", ruleId)
              .register(registry);
    }
  }

  /** Updates how many attributes of requests named no calendar, if the rule reads any. */
  void updateInvalidCalendarValues(Rule counted) {
    if (!counted.id().equals(ruleId)) {
      return; // many rules share these meters
    }
    invalidCalendarValues.set(counted.invalidCalendarValues());
    CalendarSettings calendar = counted.calendar();
    if (calendar != null && calendar.dependsOnCaller() && invalidCalendarCounter == null) {
      invalidCalendarCounter =
          FunctionCounter.builder(
                  "weir.calendar.invalid", invalidCalendarValues, AtomicLong::doubleValue)
              .description("Attributes for the calendar of a rule that name no time zone or day")
              .tag("rule", ruleId)
              .register(registry);
    }
  }

  /** Returns the number of decisions of this rule. */
  double totalCount() {
    Counter ofBlocked = blocked;
    return allowed.count()
        + refused.count()
        + shadowRefused.count()
        + (ofBlocked == null ? 0 : ofBlocked.count());
  }

  void remove() {
    registry.remove(allowed);
    registry.remove(refused);
    registry.remove(shadowRefused);
    Counter ofBlocked = blocked;
    if (ofBlocked != null) {
      registry.remove(ofBlocked);
    }
    degraded.values().forEach(registry::remove);
    if (overshootGauge != null) {
      registry.remove(overshootGauge);
    }
    if (invalidCalendarCounter != null) {
      registry.remove(invalidCalendarCounter);
    }
  }

  private Counter decisionCounter(String outcome) {
    return Counter.builder("weir.decisions")
        .description("Decisions of each rule on the requests that match it")
        .tag("rule", ruleId)
        .tag("outcome", outcome)
        .register(registry);
  }
}
