package io.weir.rule;

import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Algorithms;
import io.weir.algorithm.Terms;
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
  private final Terms whole;
  private final Terms terms;
  private final long salt;
  private final boolean shadow;
  private final @Nullable Limit share;

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
      Terms whole,
      Terms terms,
      @Nullable Limit share) {
    this.rule = rule;
    this.rate = rate;
    this.whole = whole;
    this.terms = terms;
    this.algorithm = algorithm;
    this.shadow = shadow;
    this.share = share;
    String name = rule.id() + "\n" + algorithm.name() + "\n" + terms.period();
    this.salt = Fingerprint.PUBLIC.of(name + "\n" + terms.unit());
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
    Terms whole = terms(rate.permits() == 0 ? counted : algorithm, rate, size, coolDown);
    Terms here = rule.share().of(counted, whole);
    Limit share = null;
    if (rule.posture().answer() == Posture.Answer.LOCAL) {
      Rate part = new Rate(rule.posture().share(here.permits()), rate.period());
      Terms terms = terms(counted, part, rule.posture().share(here.burst()), coolDown);
      share = new Limit(rule, rate, counted, shadow, whole, terms, null);
    }
    return new Limit(rule, rate, counted, shadow, whole, here, share);
  }

  /** Refuses a rate that no rule could have, whatever its algorithm. */
  public static Rate check(Rate rate) {
    try {
      var unused = terms(Algorithms.FIXED_WINDOW, rate, rate.permits(), 0);
      return rate;
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(rate + " " + e.getMessage(), e);
    }
  }

  private static Terms terms(Algorithm algorithm, Rate rate, long size, long coolDown) {
    long period = Durations.micros(rate.period());
    return rate.permits() == 0
        ? Terms.closed(period)
        : Terms.of(algorithm, rate.permits(), period, size, coolDown);
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
  public Terms terms() {
    return terms;
  }

  /** The limit as it is written, of which a region may enforce a part only. */
  public Terms whole() {
    return whole;
  }

  /** Refuses a limit of which some parts could not be counted. */
  void checkParts() {
    if (whole.permits() > 0) {
      Share.check(algorithm, whole);
    }
  }

  /** The part of it a node gives out alone, where the rule's posture is local. */
  public @Nullable Limit share() {
    return share;
  }

  long salt() {
    return salt;
  }

  /** The most that can ever fit. */
  public long most() {
    return algorithm.most(terms);
  }

  /** Whether two times lie in the same window; a bucket knows but one. */
  public boolean isSameWindow(long one, long other) {
    return algorithm.bursts() || terms.window(one) == terms.window(other);
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
