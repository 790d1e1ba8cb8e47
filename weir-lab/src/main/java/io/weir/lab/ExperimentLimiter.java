package io.weir.lab;

import io.weir.Decision;
import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.internal.algorithm.Algorithm;
import io.weir.internal.algorithm.WindowModel;
import io.weir.internal.store.MemoryStore;
import io.weir.lab.world.SimulatedCluster;
import io.weir.lab.world.Timeline;
import io.weir.rule.Rate;
import io.weir.rule.Rule;
import io.weir.rule.RuleBuilder;
import io.weir.rule.RuleSet;
import java.time.Duration;
import java.util.List;

/** A limiter in memory with one rule per {@code key}, on virtual time. */
final class ExperimentLimiter {
  private static final long STORE_BYTES = 64L << 20;
  private static final long MICROS_PER_SECOND = 1_000_000;

  private final Timeline timeline;
  private final Limiter limiter;

  /**
   * @param burst the size of a bucket; 0 for the permits of the rate
   */
  ExperimentLimiter(Algorithm algorithm, Rate rate, long burst) {
    timeline = new Timeline(SimulatedCluster.START_MICROS);
    RuleSet rules = RuleSet.of(createRule(algorithm, rate, burst));
    limiter =
        Weir.limiter(() -> rules)
            .store(new MemoryStore(timeline, STORE_BYTES))
            .clock(timeline)
            .build();
  }

  static Rule createRule(Algorithm algorithm, Rate rate, long burst) {
    RuleBuilder rule =
        Rule.named("lab").per("key").algorithm(algorithm.name()).limit(List.of(rate));
    return (burst > 0 && algorithm.windowModel() == WindowModel.CONTINUOUS
            ? rule.burst(burst)
            : rule)
        .build();
  }

  /** Decides at a time in microseconds since the start; times must not decrease. */
  Decision decideAt(long offsetMicros, String key, long cost) {
    timeline.runUntil(SimulatedCluster.START_MICROS + offsetMicros);
    return limiter.decideNow(Request.of("key", key).cost(cost));
  }

  static double toSeconds(long micros) {
    return (double) micros / MICROS_PER_SECOND;
  }

  static long toMicros(Duration duration) {
    return duration.toNanos() / 1000;
  }

  /** Throws an exception if a parameter of an experiment is invalid. */
  static void require(boolean condition, String reason) {
    if (!condition) {
      throw new IllegalArgumentException(reason);
    }
  }
}
