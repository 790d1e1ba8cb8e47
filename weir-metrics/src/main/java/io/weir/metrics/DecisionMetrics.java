package io.weir.metrics;

import static java.util.concurrent.TimeUnit.MICROSECONDS;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.weir.Decision;
import io.weir.DecisionListener;
import io.weir.Request;
import io.weir.internal.decision.EvaluatedDecision;
import io.weir.internal.rule.Limit;
import io.weir.internal.store.ClaimOutcome;
import io.weir.store.Clock;
import java.util.function.BiConsumer;

/**
 * Counts decisions by rule and outcome, and records their latency. Labels come from the rules,
 * never from callers. Thread-safe.
 *
 * <p>Only an endpoint knows when a request arrived, so endpoints measure the latency:
 *
 * <pre>{@code
 * long arrived = decisions.now();
 * limiter.decide(request).thenAccept(d -> { decisions.recordLatencySince(arrived); … });
 * }</pre>
 */
public final class DecisionMetrics implements DecisionListener {
  private final Clock clock;
  private final RuleMeterRegistry ruleMeters;
  private final Counter allowed;
  private final Counter refused;
  private final Timer latency;
  private final BiConsumer<Limit, ClaimOutcome> countRule =
      this::count; // created once, not per decision

  DecisionMetrics(MeterRegistry registry, Clock clock, int maxRules) {
    this.clock = clock;
    ruleMeters = new RuleMeterRegistry(registry, maxRules);
    allowed = requests(registry, "allowed");
    refused = requests(registry, "refused");
    latency =
        Timer.builder("weir.decision")
            .description("Time from the arrival of a request to its decision")
            .serviceLevelObjectives(LatencyBuckets.LATENCY)
            .register(registry);
  }

  @Override
  public void onDecision(Request request, Decision decision) {
    (decision.allowed() ? allowed : refused).increment();
    EvaluatedDecision.of(decision).forEachRule(countRule);
  }

  /** Returns the current time in microseconds, for {@link #recordLatencySince}. */
  public long now() {
    return clock.micros();
  }

  /** Records the latency of a decision on a request that arrived at the given time. */
  public void recordLatencySince(long arrivedMicros) {
    latency.record(clock.micros() - arrivedMicros, MICROSECONDS);
  }

  RuleMeterRegistry ruleMeters() {
    return ruleMeters;
  }

  private void count(Limit limit, ClaimOutcome outcome) {
    ruleMeters.metersOf(limit.rule()).count(limit, outcome);
  }

  private static Counter requests(MeterRegistry registry, String outcome) {
    return Counter.builder("weir.requests")
        .description("Decided requests, including those that match no rule")
        .tag("outcome", outcome)
        .register(registry);
  }
}
