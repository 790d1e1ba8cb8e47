package io.weir.lab.world;

import io.weir.internal.algorithm.Algorithm;
import io.weir.internal.algorithm.Algorithms;
import io.weir.internal.algorithm.WindowModel;
import io.weir.internal.rule.CompiledRule;
import io.weir.rule.Consistency;
import io.weir.rule.Rate;
import io.weir.rule.Rule;
import io.weir.rule.RuleBuilder;
import io.weir.rule.StoreFailureFallback;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * The scenario of a seed: rules, nodes, their clocks, the network, requests and faults. Times in
 * microseconds since the start.
 *
 * @param healthy whether there are no faults and demand stays below the limits
 * @param perSecond the requests per second of each caller
 * @param firstRequestMicros the time of the first request
 * @param faultsOverMicros the time when the last fault is over
 * @param lastRequestMicros the time of the last request
 */
record SimulationScenario(
    long seed,
    boolean healthy,
    List<Rule> rules,
    List<SimulatedCluster.SimulatedNodeOptions> nodes,
    NetworkConditions network,
    int callers,
    double perSecond,
    long firstRequestMicros,
    long faultsOverMicros,
    long lastRequestMicros,
    List<SimulatedFault> faults) {
  private static final double MAX_LOG_PERMITS = 2000; // per rule
  private static final long MICROS_PER_MILLI = 1000;
  private static final long MICROS_PER_SECOND = 1_000_000;
  private static final long[] PERIODS_MILLIS = {200, 500, 1000, 2000, 5000};
  private static final long[] SYNC_INTERVALS_MILLIS = {5, 20, 100, 100, 250, 1000};
  private static final double MAX_REQUESTS_PER_SECOND = 1200;
  private static final double MAX_PERMITS_PER_SECOND = 500;

  static SimulationScenario of(long seed) {
    Random random = new Random((seed + 1) * 0xD1342543DE82EF95L);
    boolean healthy = random.nextInt(3) == 0;
    int count = 1 + random.nextInt(5);
    int callers = 1 + random.nextInt(2);
    long deadline = randomBetween(random, 5, 40) * MICROS_PER_MILLI;
    long min = randomBetween(random, 60, 500);
    NetworkConditions weather =
        new NetworkConditions(min, randomBetween(random, 20, 600), deadline / 6, 0);
    long spike = random.nextInt(3) > 0 ? 0 : deadline / 2;
    boolean skewed = random.nextBoolean();
    List<SimulatedCluster.SimulatedNodeOptions> nodes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      long offset = randomBetween(random, 100, 2000) * MICROS_PER_MILLI;
      long clockOffset = skewed ? (random.nextBoolean() ? offset : -offset) : 0;
      double drift = skewed ? random.nextDouble() * 100 - 50 : 0;
      nodes.add(
          new SimulatedCluster.SimulatedNodeOptions(
              clockOffset, drift, ofMicros(deadline), ofMicros(spike)));
    }
    List<Rule> rules = new ArrayList<>();
    double tightest = Double.MAX_VALUE;
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      Rule rule = randomRule("rule" + i, random, healthy);
      rules.add(rule);
      tightest = Math.min(tightest, perSecond(CompiledRule.of(rule).limits().get(0).rate()));
    }
    double load = healthy ? 0.3 + 0.35 * random.nextDouble() : 0.5 + 3 * random.nextDouble();
    double perSecond = Math.min(load * tightest, MAX_REQUESTS_PER_SECOND / callers);
    long begins = randomBetween(random, 0, 3000) * MICROS_PER_MILLI;
    long calm = begins + (healthy ? 0 : randomBetween(random, 800, 2000) * MICROS_PER_MILLI);
    List<SimulatedFault> faults = new ArrayList<>();
    for (int i = healthy ? 0 : random.nextInt(5); i > 0; i--) {
      faults.add(SimulatedFault.randomFault(random, begins, calm));
    }
    Random more = new Random((seed + 1) * 0x9E3779B97F4A7C15L);
    if (!healthy && more.nextBoolean()) {
      faults.add(SimulatedFault.randomOneTimeFault(more, begins, calm));
    }
    long ends = calm + 2500 * MICROS_PER_MILLI;
    return new SimulationScenario(
        seed,
        healthy,
        List.copyOf(rules),
        List.copyOf(nodes),
        weather,
        callers,
        perSecond,
        begins,
        calm,
        ends,
        List.copyOf(faults));
  }

  private static Rule randomRule(String name, Random random, boolean healthy) {
    Algorithm algorithm = Algorithms.all().get(random.nextInt(Algorithms.all().size()));
    long period = PERIODS_MILLIS[random.nextInt(PERIODS_MILLIS.length)];
    double max = MAX_PERMITS_PER_SECOND * period / 1000;
    if (algorithm.windowModel() == WindowModel.TRAILING) {
      max = Math.min(max, MAX_LOG_PERMITS);
    }
    double min = healthy ? 20 : 3;
    Consistency consistency = randomConsistency(random, healthy ? period / 4 : Long.MAX_VALUE);
    boolean leased =
        consistency.mode() == Consistency.CountingMode.LEASED; // only busy counters are leased
    double size = leased ? Math.sqrt(random.nextDouble()) : random.nextDouble();
    long permits = (long) (min * Math.pow(max / min, size));
    RuleBuilder rule =
        Rule.named(name)
            .per("user")
            .algorithm(algorithm.name())
            .limit(List.of(new Rate(permits, Duration.ofMillis(period))))
            .consistency(consistency)
            .onStoreFailure(randomFallback(random))
            .shadow(random.nextInt(8) == 0);
    if (algorithm.windowModel() == WindowModel.CONTINUOUS && random.nextBoolean()) {
      rule.burst((long) Math.max(1, permits * ((healthy ? 0.5 : 0.1) + random.nextDouble())));
    }
    return rule.build();
  }

  /** A bucket counts late reports late, so healthy nodes sync before it refills. */
  private static Consistency randomConsistency(Random random, long maxInterval) {
    return switch (random.nextInt(7)) {
      case 0, 1 -> Consistency.EXACT;
      case 2, 3 -> Consistency.LEASED;
      case 4, 5 -> {
        long every = SYNC_INTERVALS_MILLIS[random.nextInt(SYNC_INTERVALS_MILLIS.length)];
        yield Consistency.synced(Duration.ofMillis(Math.min(every, maxInterval)));
      }
      default -> Consistency.LOCAL;
    };
  }

  private static StoreFailureFallback randomFallback(Random random) {
    return switch (random.nextInt(3)) {
      case 0 -> StoreFailureFallback.OPEN;
      case 1 -> StoreFailureFallback.CLOSED;
      default -> StoreFailureFallback.local(20 + random.nextInt(60));
    };
  }

  static double perSecond(Rate rate) {
    return rate.permits() * 1e9 / rate.period().toNanos();
  }

  static long randomBetween(Random random, long min, long max) {
    return min + (long) (random.nextDouble() * (max - min + 1));
  }

  static Duration ofMicros(long micros) {
    return Duration.ofNanos(micros * 1000);
  }

  /** Returns when all leases are returned and every sync interval has passed three times. */
  long settledMicros() {
    long maxInterval = 100 * MICROS_PER_MILLI;
    for (Rule rule : rules) {
      maxInterval = Math.max(maxInterval, rule.consistency().syncInterval().toNanos() / 1000);
    }
    return lastRequestMicros + 3 * maxInterval + MICROS_PER_SECOND / 5;
  }

  /** Returns whether the scenario has a fault of this kind. */
  boolean hasFault(SimulatedFault.FaultKind kind) {
    return faults.stream().anyMatch(fault -> fault.kind() == kind);
  }

  /** Returns the deadline of a decision. */
  long deadlineMicros() {
    return nodes.get(0).deadline().toNanos() / 1000;
  }

  /** Returns whether nodes decide exact rules locally while the store is slow. */
  boolean toleratesSpikes() {
    return !nodes.get(0).spikeThreshold().isZero();
  }
}
