package io.weir.metrics;

import static java.util.concurrent.TimeUnit.MICROSECONDS;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.weir.Decision;
import io.weir.DecisionListener;
import io.weir.Request;
import io.weir.rule.Limit;
import io.weir.store.ClaimOutcome;
import io.weir.store.Clock;
import java.util.function.BiConsumer;

/**
 * Counts decisions by rule and outcome, and how long they take. Labels come from the rules, never
 * from callers. Safe for any number of threads.
 *
 * <p>Only a door knows when a request came, so the doors measure:
 *
 * <pre>{@code
 * long came = decisions.now();
 * limiter.decide(request).thenAccept(d -> { decisions.tookSince(came); … });
 * }</pre>
 */
public final class DecisionMetrics implements DecisionListener {
  private final Clock clock;
  private final RuleMeterRegistry ruleMeters;
  private final Counter allowed;
  private final Counter refused;
  private final Timer latency;
  private final BiConsumer<Limit, ClaimOutcome> countRule =
      this::count; // made once, not per decision

  DecisionMetrics(MeterRegistry registry, Clock clock, int mostRules) {
    this.clock = clock;
    ruleMeters = new RuleMeterRegistry(registry, mostRules);
    allowed = requests(registry, "allowed");
    refused = requests(registry, "refused");
    latency =
        Timer.builder("weir.decision")
            .description("From a request's coming to its decision")
            .serviceLevelObjectives(LatencyBuckets.LATENCY)
            .register(registry);
  }

  @Override
  public void onDecision(Request request, Decision decision) {
    (decision.allowed() ? allowed : refused).increment();
    decision.forEachRule(countRule);
  }

  /** The time now, for {@link #recordLatencySince}. */
  public long now() {
    return clock.micros();
  }

  /** Notes that a decision was made on what came then. */
  public void recordLatencySince(long came) {
    latency.record(clock.micros() - came, MICROSECONDS);
  }

  RuleMeterRegistry ruleMeters() {
    return ruleMeters;
  }

  private void count(Limit limit, ClaimOutcome outcome) {
    ruleMeters
        .metersOf(limit.rule())
        .count(limit.shadow(), limit.rule().fallback().action(), outcome);
  }

  private static Counter requests(MeterRegistry registry, String outcome) {
    return Counter.builder("weir.requests")
        .description("Requests decided, those that no rule met included")
        .tag("outcome", outcome)
        .register(registry);
  }
}
