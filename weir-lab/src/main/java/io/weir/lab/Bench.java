package io.weir.lab;

import io.weir.Decision;
import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.algorithm.Algorithm;
import io.weir.lab.world.Timeline;
import io.weir.lab.world.World;
import io.weir.rule.Rate;
import io.weir.rule.Rule;
import io.weir.rule.RuleBuilder;
import io.weir.rule.RuleSet;
import io.weir.store.MemoryStore;
import java.time.Duration;
import java.util.List;

/** One limiter that counts in memory, under one rule per {@code key} and time that waits. */
final class Bench {
  private static final long BYTES = 64L << 20;
  private static final long SECOND = 1_000_000;

  private final Timeline time;
  private final Limiter limiter;

  /**
   * @param burst the size of a bucket; 0 for that of the rate
   */
  Bench(Algorithm algorithm, Rate rate, long burst) {
    time = new Timeline(World.START);
    RuleSet rules = RuleSet.of(rule(algorithm, rate, burst));
    limiter = Weir.limiter(() -> rules).store(new MemoryStore(time, BYTES)).clock(time).build();
  }

  static Rule rule(Algorithm algorithm, Rate rate, long burst) {
    RuleBuilder rule = Rule.named("lab").per("key").algorithm(algorithm).limit(List.of(rate));
    return (burst > 0 && algorithm.bursts() ? rule.burst(burst) : rule).build();
  }

  /** Decides at that many microseconds from the start, which no decision may be before. */
  Decision ask(long at, String key, long cost) {
    time.runUntil(World.START + at);
    return limiter.decideNow(Request.of("key", key).cost(cost));
  }

  static double seconds(long micros) {
    return (double) micros / SECOND;
  }

  static long micros(Duration duration) {
    return duration.toNanos() / 1000;
  }

  /** Refuses what an experiment cannot be made with. */
  static void require(boolean condition, String reason) {
    if (!condition) {
      throw new IllegalArgumentException(reason);
    }
  }
}
