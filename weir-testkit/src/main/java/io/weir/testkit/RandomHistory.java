package io.weir.testkit;

import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Algorithms;
import io.weir.algorithm.LimitParameters;
import io.weir.rule.Claim;
import io.weir.rule.Fingerprint;
import io.weir.rule.Limit;
import io.weir.rule.Rule;
import io.weir.rule.RuleBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A source of random limits, times and costs, repeatable by its seed: everything a law is tried on.
 */
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

  /** The seed a failing run printed, given as {@code -Dweir.seed=…}, or a new one. */
  public static long seed() {
    return Long.getLong("weir.seed", ThreadLocalRandom.current().nextLong());
  }

  /** How many steps a law is tried for: {@code weir.law.steps}. */
  public static int steps() {
    return Integer.getInteger("weir.law.steps", 100_000);
  }

  /** Some limit the algorithm can hold exactly. */
  public LimitParameters parameters(Algorithm algorithm) {
    LimitParameters terms = null;
    while (terms == null) {
      try {
        terms = tryParameters(algorithm);
      } catch (IllegalArgumentException refused) {
        terms = null; // cannot be exact: try another
      }
    }
    return terms;
  }

  private LimitParameters tryParameters(Algorithm algorithm) {
    long period = PERIODS[random.nextInt(PERIODS.length)];
    long longest = oneIn(4) ? 2_000 : 40; // for more, a test would have to charge more often
    long permits = size(algorithm.name().equals("sliding-log") ? longest : 1_000_000_000_000L);
    long burst = algorithm.hasBurst() ? size(1_000_000_000_000L) : permits;
    long coolDown = algorithm.hasCoolDown() && random.nextBoolean() ? random.nextLong(period) : 0;
    return LimitParameters.of(algorithm, permits, period, burst, coolDown);
  }

  /** Some rule of that algorithm. */
  public RuleBuilder rule(String id, Algorithm algorithm) {
    LimitParameters t = parameters(algorithm);
    RuleBuilder rule =
        Rule.named(id)
            .algorithm(algorithm)
            .per("user")
            .limit(t.permits() + "/" + t.periodMicros() + "us")
            .coolDown(Duration.ofNanos(t.coolDownMicros() * 1000));
    return algorithm.hasBurst() ? rule.burst(t.burst()) : rule;
  }

  /** A limit of every algorithm, some of them of shadow rules, and one of 0. */
  public List<Limit> limits() {
    List<Limit> limits = new ArrayList<>();
    for (Algorithm algorithm : Algorithms.all()) {
      boolean shadow = oneIn(4);
      limits.add(rule("r" + limits.size(), algorithm).shadow(shadow).build().limits().get(0));
    }
    limits.add(Rule.named("none").limit("0/second").build().limits().get(0));
    return limits;
  }

  /**
   * What some request asks of these limits, for one of a few callers each.
   *
   * @param all whether it asks for everything, as a reset gives back
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

  /** The next moment: usually a little later than the last, now and then much later or earlier. */
  public long next(LimitParameters t) {
    long scale = Math.max(1, t.periodMicros());
    switch (random.nextInt(24)) {
      case 0 -> now -= random.nextLong(Math.min(scale, 10_000_000));
      case 1 -> now += random.nextLong(3 * scale);
      case 2 -> now += scale - now % scale - random.nextInt(2); // about a window's edge
      case 3, 4, 5, 6 -> {} // the same moment
      default ->
          now += random.nextLong(Math.max(2, 2 * scale / Math.max(1, Math.min(t.permits(), 40))));
    }
    return now;
  }

  /** The next moment, never earlier than the last. */
  public long nextForward(LimitParameters t) {
    long last = now;
    now = Math.max(last, next(t));
    return now;
  }

  /** Mostly small, now and then about or above what can ever fit. */
  public long cost(long most) {
    return switch (random.nextInt(8)) {
      case 0 -> 1 + random.nextLong(most + 1);
      case 1 -> Math.max(1, most - random.nextInt(3));
      case 2 -> most + 1;
      default -> 1 + random.nextLong(Math.max(1, most / 4));
    };
  }

  public boolean oneIn(int n) {
    return random.nextInt(n) == 0;
  }

  public int below(int n) {
    return random.nextInt(n);
  }

  /** Some length of time up to {@code most} microseconds. */
  public long upTo(long most) {
    return random.nextLong(most + 1);
  }

  public <T> T pick(List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }

  /** Some size: small as often as any other order of magnitude. */
  private long size(long most) {
    long bound = random.nextBoolean() ? 20 : (long) Math.pow(10, random.nextInt(13));
    return 1 + random.nextLong(Math.min(bound, most));
  }
}
