package io.weir.lab.world;

import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Algorithms;
import io.weir.rule.Consistency;
import io.weir.rule.Posture;
import io.weir.rule.Rate;
import io.weir.rule.Rule;
import io.weir.rule.RuleBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * What a seed stands for: rules, nodes, their clocks, the network, what is asked and what goes
 * wrong. Times in microseconds from the start.
 *
 * @param healthy nothing goes wrong, and less is asked for than there is
 * @param perSecond how many requests each caller makes
 * @param begins when the first request comes
 * @param calm when the last fault is over
 * @param ends when the last request comes
 */
record Scenario(
    long seed,
    boolean healthy,
    List<Rule> rules,
    List<World.Traits> nodes,
    Weather weather,
    int callers,
    double perSecond,
    long begins,
    long calm,
    long ends,
    List<Fault> faults) {
  private static final double MAX_LOG_PERMITS = 2000; // of a rule
  private static final long MILLIS = 1000;
  private static final long SECOND = 1_000_000;
  private static final long[] PERIODS = {200, 500, 1000, 2000, 5000};
  private static final long[] INTERVALS = {5, 20, 100, 100, 250, 1000};
  private static final double MOST_A_SECOND = 1200;
  private static final double MOST_PER_RULE = 500;

  static Scenario of(long seed) {
    Random random = new Random((seed + 1) * 0xD1342543DE82EF95L);
    boolean healthy = random.nextInt(3) == 0;
    int count = 1 + random.nextInt(5);
    int callers = 1 + random.nextInt(2);
    long deadline = between(random, 5, 40) * MILLIS;
    long least = between(random, 60, 500);
    Weather weather = new Weather(least, between(random, 20, 600), deadline / 6, 0);
    long spike = random.nextInt(3) > 0 ? 0 : deadline / 2;
    boolean skewed = random.nextBoolean();
    List<World.Traits> nodes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      long wrong = between(random, 100, 2000) * MILLIS;
      long ahead = skewed ? (random.nextBoolean() ? wrong : -wrong) : 0;
      double drift = skewed ? random.nextDouble() * 100 - 50 : 0;
      nodes.add(new World.Traits(ahead, drift, micros(deadline), micros(spike)));
    }
    List<Rule> rules = new ArrayList<>();
    double tightest = Double.MAX_VALUE;
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      Rule rule = rule("rule" + i, random, healthy);
      rules.add(rule);
      tightest = Math.min(tightest, perSecond(rule.limits().get(0).rate()));
    }
    double load = healthy ? 0.3 + 0.35 * random.nextDouble() : 0.5 + 3 * random.nextDouble();
    double perSecond = Math.min(load * tightest, MOST_A_SECOND / callers);
    long begins = between(random, 0, 3000) * MILLIS;
    long calm = begins + (healthy ? 0 : between(random, 800, 2000) * MILLIS);
    List<Fault> faults = new ArrayList<>();
    for (int i = healthy ? 0 : random.nextInt(5); i > 0; i--) {
      faults.add(Fault.of(random, begins, calm));
    }
    Random more = new Random((seed + 1) * 0x9E3779B97F4A7C15L);
    if (!healthy && more.nextBoolean()) {
      faults.add(Fault.once(more, begins, calm));
    }
    long ends = calm + 2500 * MILLIS;
    return new Scenario(
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

  private static Rule rule(String name, Random random, boolean healthy) {
    Algorithm algorithm = Algorithms.all().get(random.nextInt(Algorithms.all().size()));
    long period = PERIODS[random.nextInt(PERIODS.length)];
    double most = MOST_PER_RULE * period / 1000;
    if (algorithm == Algorithms.SLIDING_LOG) {
      most = Math.min(most, MAX_LOG_PERMITS);
    }
    double least = healthy ? 20 : 3;
    Consistency consistency = consistency(random, healthy ? period / 4 : Long.MAX_VALUE);
    boolean leased = consistency.kind() == Consistency.Kind.LEASED; // only busy ones are
    double size = leased ? Math.sqrt(random.nextDouble()) : random.nextDouble();
    long permits = (long) (least * Math.pow(most / least, size));
    RuleBuilder rule =
        Rule.named(name)
            .per("user")
            .algorithm(algorithm)
            .limit(List.of(new Rate(permits, Duration.ofMillis(period))))
            .consistency(consistency)
            .onStoreFailure(posture(random))
            .shadow(random.nextInt(8) == 0);
    if (algorithm.bursts() && random.nextBoolean()) {
      rule.burst((long) Math.max(1, permits * ((healthy ? 0.5 : 0.1) + random.nextDouble())));
    }
    return rule.build();
  }

  /** What a bucket is told of late, it counts late; so healthy nodes reconcile while it fills. */
  private static Consistency consistency(Random random, long longest) {
    return switch (random.nextInt(7)) {
      case 0, 1 -> Consistency.EXACT;
      case 2, 3 -> Consistency.LEASED;
      case 4, 5 -> {
        long every = INTERVALS[random.nextInt(INTERVALS.length)];
        yield Consistency.synced(Duration.ofMillis(Math.min(every, longest)));
      }
      default -> Consistency.LOCAL;
    };
  }

  private static Posture posture(Random random) {
    return switch (random.nextInt(3)) {
      case 0 -> Posture.OPEN;
      case 1 -> Posture.CLOSED;
      default -> Posture.local(20 + random.nextInt(60));
    };
  }

  static double perSecond(Rate rate) {
    return rate.permits() * 1e9 / rate.period().toNanos();
  }

  static long between(Random random, long least, long most) {
    return least + (long) (random.nextDouble() * (most - least + 1));
  }

  static Duration micros(long micros) {
    return Duration.ofNanos(micros * 1000);
  }

  /** When all has come to rest: every lease is back, and every interval has passed thrice. */
  long rest() {
    long longest = 100 * MILLIS;
    for (Rule rule : rules) {
      longest = Math.max(longest, rule.consistency().syncEvery().toNanos() / 1000);
    }
    return ends + 3 * longest + SECOND / 5;
  }

  /** Whether such a fault is among what goes wrong. */
  boolean has(Fault.Kind kind) {
    return faults.stream().anyMatch(fault -> fault.kind() == kind);
  }

  /** How long a decision may take. */
  long patience() {
    return nodes.get(0).deadline().toNanos() / 1000;
  }

  /** Whether nodes answer exact rules themselves while the store is slow. */
  boolean steady() {
    return !nodes.get(0).spike().isZero();
  }
}
