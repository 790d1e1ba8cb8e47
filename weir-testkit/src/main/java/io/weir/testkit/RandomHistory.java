package io.weir.testkit;

import io.weir.internal.algorithm.Algorithm;
import io.weir.internal.algorithm.Algorithms;
import io.weir.internal.algorithm.LimitParameters;
import io.weir.internal.algorithm.WindowModel;
import io.weir.internal.rule.Claim;
import io.weir.internal.rule.CompiledRule;
import io.weir.internal.rule.Fingerprint;
import io.weir.internal.rule.Limit;
import io.weir.rule.CalendarUnit;
import io.weir.rule.Rule;
import io.weir.rule.RuleBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;

/** Generates random limits, times and costs for property tests, reproducibly from a seed. */
public final class RandomHistory {
  private static final long[] PERIODS = {
    1_000, 60_000, 1_000_000, 1_234_567, 60_000_000, 3_600_000_000L, 86_400_000_000L
  };

  private final Random random;
  private long now = 1_700_000_000_000_000L;

  public RandomHistory(long seed) {
    random = new Random(seed);
    now += random.nextInt(1_000_000_000);
  }

  /** The seed given as {@code -Dweir.seed=…}, as a failing run prints it, or a new one. */
  public static long seed() {
    return Long.getLong("weir.seed", ThreadLocalRandom.current().nextLong());
  }

  /** The number of steps per property: {@code weir.law.steps}. */
  public static int steps() {
    return Integer.getInteger("weir.law.steps", 100_000);
  }

  /** Random limit parameters that the algorithm can compute exactly. */
  public LimitParameters parameters(Algorithm algorithm) {
    LimitParameters terms = null;
    while (terms == null) {
      try {
        terms = tryParameters(algorithm);
      } catch (IllegalArgumentException e) {
        terms = null; // cannot be computed exactly: try others
      }
    }
    return terms;
  }

  private LimitParameters tryParameters(Algorithm algorithm) {
    long period = PERIODS[random.nextInt(PERIODS.length)];
    long longest = oneIn(4) ? 2_000 : 40; // few permits, so that short histories reach the limit
    long permits = size(algorithm.name().equals("sliding-log") ? longest : 1_000_000_000_000L);
    long burst =
        algorithm.windowModel() == WindowModel.CONTINUOUS ? size(1_000_000_000_000L) : permits;
    long coolDown = algorithm.hasCoolDown() && random.nextBoolean() ? random.nextLong(period) : 0;
    return LimitParameters.of(algorithm, permits, period, burst, coolDown);
  }

  /** A random rule of that algorithm. */
  public RuleBuilder rule(String id, Algorithm algorithm) {
    LimitParameters t = parameters(algorithm);
    RuleBuilder rule =
        Rule.named(id)
            .algorithm(algorithm.name())
            .per("user")
            .limit(t.permits() + "/" + t.periodMicros() + "us")
            .coolDown(Duration.ofNanos(t.coolDownMicros() * 1000));
    return algorithm.windowModel() == WindowModel.CONTINUOUS ? rule.burst(t.burst()) : rule;
  }

  /** A random rule with a limit per unit of the calendar. */
  public RuleBuilder calendarRule(String id) {
    CalendarUnit unit = pick(List.of(CalendarUnit.HOUR, CalendarUnit.DAY, CalendarUnit.WEEK));
    return Rule.named(id)
        .per("user")
        .limit(size(1_000_000_000_000L) % 10_000_000_000L + 1 + "/" + unit)
        .zone(pick(List.of("UTC", "Europe/Berlin", "Australia/Lord_Howe", "America/Santiago")))
        .resetDay(1 + below(31));
  }

  /** The limit of a random rule of that algorithm, which may be shadow or deferred. */
  public Limit limit(String id, Algorithm algorithm) {
    RuleBuilder rule = rule(id, algorithm).shadow(oneIn(4));
    return CompiledRule.of((oneIn(6) ? rule.chargeWhen("401") : rule).build()).limits().get(0);
  }

  /**
   * A limit for every algorithm, some of shadow or deferred rules, one of 0 permits and one of the
   * calendar.
   */
  public List<Limit> limits() {
    List<Limit> limits = new ArrayList<>();
    for (Algorithm algorithm : Algorithms.all()) {
      limits.add(limit("r" + limits.size(), algorithm));
    }
    limits.add(CompiledRule.of(calendarRule("calendar").build()).limits().get(0));
    limits.add(CompiledRule.of(Rule.named("none").limit("0/second").build()).limits().get(0));
    return limits;
  }

  /**
   * The claims of a random request on these limits, each for one of a few callers.
   *
   * @param all whether the cost is the maximum, as for a reset
   */
  public Claim[] claims(List<Limit> limits, Fingerprint fingerprint, boolean all) {
    Claim[] claims = new Claim[oneIn(2) ? 1 : 1 + below(limits.size())];
    for (int i = 0; i < claims.length; i++) {
      Limit limit = limits.get(below(limits.size()));
      long caller = fingerprint.of("caller " + below(6));
      claims[i] = Claim.of(limit, caller, all ? Claim.MAX_COST : cost(limit.capacity()));
    }
    return claims;
  }

  /** The next time: usually a little later than the last, sometimes much later or earlier. */
  public long next(LimitParameters t) {
    long scale = Math.max(1, t.periodMicros());
    switch (random.nextInt(24)) {
      case 0 -> now -= random.nextLong(Math.min(scale, 10_000_000));
      case 1 -> now += random.nextLong(3 * scale);
      case 2 -> now += scale - now % scale - random.nextInt(2); // near the end of a window
      case 3, 4, 5, 6 -> {} // the same time
      default ->
          now += random.nextLong(Math.max(2, 2 * scale / Math.max(1, Math.min(t.permits(), 40))));
    }
    return now;
  }

  /** The next time, never earlier than the last. */
  public long nextForward(LimitParameters t) {
    long last = now;
    now = Math.max(last, next(t));
    return now;
  }

  /** A random cost: mostly small, sometimes near or above the capacity. */
  public long cost(long capacity) {
    return switch (random.nextInt(8)) {
      case 0 -> 1 + random.nextLong(capacity + 1);
      case 1 -> Math.max(1, capacity - random.nextInt(3));
      case 2 -> capacity + 1;
      default -> 1 + random.nextLong(Math.max(1, capacity / 4));
    };
  }

  /** True with a probability of 1 in n. */
  public boolean oneIn(int n) {
    return random.nextInt(n) == 0;
  }

  /** A random number from 0 to n - 1. */
  public int below(int n) {
    return random.nextInt(n);
  }

  /** A random number from 0 to {@code max}. */
  public long upTo(long max) {
    return random.nextLong(max + 1);
  }

  /** A random element. */
  public <T> T pick(List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }

  /** A random size, with all orders of magnitude up to the maximum. */
  private long size(long max) {
    long bound = random.nextBoolean() ? 20 : (long) Math.pow(10, random.nextInt(13));
    return 1 + random.nextLong(Math.min(bound, max));
  }
}
