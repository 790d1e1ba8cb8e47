package io.weir.rule;

import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Algorithms;
import io.weir.algorithm.LimitParameters;
import org.jspecify.annotations.Nullable;

/**
 * One limit of one rule, compiled: what a request is held against and what its counters are named.
 *
 * <p>The name of a counter depends on the rule, the algorithm and the period, never on how many
 * permits there are, so an edit keeps the counters. Immutable.
 */
public final class Limit {
  private final Rule rule;
  private final Rate rate;
  private final Algorithm algorithm;
  private final LimitParameters configuredParameters;
  private final LimitParameters parameters;
  private final long salt;
  private final boolean shadow;
  private final @Nullable Limit localFallback;

  /**
   * @param whole the limit as it is written
   * @param terms what of it is enforced here
   * @param share what this limit is where its rule counts a share of the budget alone
   */
  private Limit(
      Rule rule,
      Rate rate,
      Algorithm algorithm,
      boolean shadow,
      LimitParameters whole,
      LimitParameters terms,
      @Nullable Limit share) {
    this.rule = rule;
    this.rate = rate;
    this.configuredParameters = whole;
    this.parameters = terms;
    this.algorithm = algorithm;
    this.shadow = shadow;
    this.localFallback = share;
    String name = rule.id() + "\n" + algorithm.name() + "\n" + terms.periodMicros();
    this.salt = Fingerprint.PUBLIC.of(name + "\n" + terms.unitsPerPermit());
  }

  /**
   * Compiles a limit of a rule.
   *
   * @param burst the bucket's size, or 0 for the rate's own
   * @throws IllegalArgumentException if the algorithm could not count it exactly
   */
  static Limit of(Rule rule, Algorithm algorithm, Rate rate, long burst, long coolDown) {
    return of(rule, algorithm, rate, burst, coolDown, rule.shadow());
  }

  /** A limit that a request brings: enforced, since it replaces what its rule only observes. */
  static Limit ofRequest(Rule rule, Algorithm algorithm, Rate rate, long coolDown) {
    return of(rule, algorithm, rate, 0, coolDown, false);
  }

  private static Limit of(
      Rule rule, Algorithm algorithm, Rate rate, long burst, long coolDown, boolean shadow) {
    boolean closed = rate.permits() == 0 || rule.share().permille() == 0;
    Algorithm counted = closed ? Algorithms.FIXED_WINDOW : algorithm;
    long size = burst == 0 ? rate.permits() : burst;
    LimitParameters whole =
        parameters(rate.permits() == 0 ? counted : algorithm, rate, size, coolDown);
    LimitParameters here = rule.share().of(counted, whole);
    Limit share = null;
    if (rule.fallback().action() == StoreFailureFallback.FallbackAction.LOCAL) {
      Rate part = new Rate(rule.fallback().localShare(here.permits()), rate.period());
      LimitParameters terms =
          parameters(counted, part, rule.fallback().localShare(here.burst()), coolDown);
      share = new Limit(rule, rate, counted, shadow, whole, terms, null);
    }
    return new Limit(rule, rate, counted, shadow, whole, here, share);
  }

  /** Refuses a rate that no rule could have, whatever its algorithm. */
  public static Rate checkRate(Rate rate) {
    try {
      var unused = parameters(Algorithms.FIXED_WINDOW, rate, rate.permits(), 0);
      return rate;
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(rate + " " + e.getMessage(), e);
    }
  }

  private static LimitParameters parameters(
      Algorithm algorithm, Rate rate, long size, long coolDown) {
    long period = Durations.toMicros(rate.period());
    return rate.permits() == 0
        ? LimitParameters.refusingAll(period)
        : LimitParameters.of(algorithm, rate.permits(), period, size, coolDown);
  }

  public Rule rule() {
    return rule;
  }

  public Rate rate() {
    return rate;
  }

  public Algorithm algorithm() {
    return algorithm;
  }

  /** Whether it is judged but not enforced. */
  public boolean shadow() {
    return shadow;
  }

  /** What is enforced here. */
  public LimitParameters parameters() {
    return parameters;
  }

  /** The limit as it is written, of which a region may enforce a part only. */
  public LimitParameters configuredParameters() {
    return configuredParameters;
  }

  /** Refuses a limit of which some parts could not be counted. */
  void checkShares() {
    if (configuredParameters.permits() > 0) {
      RegionShare.check(algorithm, configuredParameters);
    }
  }

  /** The part of it a node gives out alone, where the rule's posture is local. */
  public @Nullable Limit localFallback() {
    return localFallback;
  }

  long salt() {
    return salt;
  }

  /** The most that can ever fit. */
  public long capacity() {
    return algorithm.capacity(parameters);
  }

  /** Whether two times lie in the same window; a bucket knows but one. */
  public boolean isSameWindow(long one, long other) {
    return algorithm.hasBurst() || parameters.windowStart(one) == parameters.windowStart(other);
  }

  /**
   * The key of a caller's counter, from the caller's fingerprint. The upper 16 bits are the
   * caller's own, the same for all limits that count per the same attributes, so that a store can
   * keep a caller's counters together; the lower 48 bits mix caller and limit.
   */
  static long key(long caller, long salt) {
    long mixed = Fingerprint.mix(caller ^ salt);
    return (caller & 0xFFFF_0000_0000_0000L) | (mixed >>> 16);
  }

  @Override
  public String toString() {
    return rule.id() + " " + rate;
  }
}
