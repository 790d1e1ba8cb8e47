package io.weir.internal.rule;

import io.weir.internal.Durations;
import io.weir.internal.algorithm.Algorithm;
import io.weir.internal.algorithm.Algorithms;
import io.weir.internal.algorithm.LimitParameters;
import io.weir.internal.algorithm.WindowModel;
import io.weir.internal.algorithm.inflight.InFlight;
import io.weir.rule.Rate;
import io.weir.rule.Rule;
import io.weir.rule.RuleAction;
import io.weir.rule.StoreFailureFallback;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One compiled limit of one rule: the parameters to enforce and the salt of its counter keys.
 *
 * <p>The key of a counter depends on the rule, the algorithm and the period, but not on the number
 * of permits, so that counters survive an edit of the limit. Immutable.
 */
public final class Limit {
  private final Rule rule;
  private final Rate rate;
  private final Algorithm algorithm;
  private final LimitParameters configuredParameters;
  private final LimitParameters parameters;
  private final long salt;
  private final boolean shadow;
  private final Verdict verdict;
  private final boolean deferred;
  private final @Nullable Limit localFallback;
  private final @Nullable LimitTimeline timeline;
  private final Limit origin;

  /**
   * @param whole the parameters of the limit as configured
   * @param terms the parameters enforced in this region
   * @param share the limit of this node alone while the store is unavailable, for fallback LOCAL
   * @param windows the windows of the calendar, or null
   * @param origin the limit of the rule that this is a variant of, or null if it is one
   */
  private Limit(
      Rule rule,
      Rate rate,
      Algorithm algorithm,
      boolean shadow,
      Verdict verdict,
      LimitParameters whole,
      LimitParameters terms,
      @Nullable Limit share,
      @Nullable CalendarWindows windows,
      @Nullable Limit origin) {
    this.rule = rule;
    this.rate = rate;
    this.configuredParameters = whole;
    this.parameters = terms;
    this.algorithm = algorithm;
    this.shadow = shadow;
    this.verdict = verdict;
    this.localFallback = share;
    this.timeline = windows == null ? null : new LimitTimeline(terms, windows);
    this.origin = origin == null ? this : origin;
    this.deferred = !isInFlight() && !rule.chargeWhen().isEmpty();
    long period = isInFlight() ? 0 : terms.periodMicros();
    String name = rule.id() + "\n" + algorithm.name() + "\n" + period;
    this.salt = Fingerprint.PUBLIC.of(name + "\n" + terms.unitsPerPermit());
  }

  /**
   * Compiles a limit of a rule.
   *
   * @param burst the size of the bucket, or 0 to use the permits of the rate
   * @throws IllegalArgumentException if the algorithm cannot count it exactly
   */
  static Limit of(Rule rule, Algorithm algorithm, Rate rate, long burst, long coolDown) {
    return of(rule, algorithm, rate, burst, coolDown, rule.shadow());
  }

  /**
   * Compiles the in-flight limit of a rule.
   *
   * @throws IllegalArgumentException if the number of slots is not valid
   */
  static Limit ofInFlight(Rule rule, int slots, Duration heldAtMost) {
    checkSlots(slots);
    Rate rate = new Rate(slots, heldAtMost);
    LimitParameters parameters = parameters(Algorithms.IN_FLIGHT, rate, slots, 0);
    return new Limit(
        rule,
        rate,
        Algorithms.IN_FLIGHT,
        rule.shadow(),
        Verdict.COUNT,
        parameters,
        parameters,
        null,
        null,
        null);
  }

  /** Checks the slots of an in-flight limit, and returns them. */
  public static int checkSlots(long slots) {
    if (slots < 1 || slots > InFlight.MAX_SLOTS) {
      throw new IllegalArgumentException(
          "must be a whole number from 1 to "
              + InFlight.MAX_SLOTS
              + " (was "
              + slots
              + "), for example 20");
    }
    return (int) slots;
  }

  /** Compiles the limit of a request. It is always enforced, even if the rule is a shadow rule. */
  static Limit ofRequest(Rule rule, Algorithm algorithm, Rate rate, long coolDown) {
    return of(rule, algorithm, rate, 0, coolDown, false);
  }

  private static Limit of(
      Rule rule, Algorithm algorithm, Rate rate, long burst, long coolDown, boolean shadow) {
    boolean refusesAll = rate.permits() == 0 || rule.share() == 0;
    Algorithm counted = refusesAll ? Algorithms.FIXED_WINDOW : algorithm;
    long size = burst == 0 ? rate.permits() : burst;
    LimitParameters whole =
        parameters(rate.permits() == 0 ? counted : algorithm, rate, size, coolDown);
    LimitParameters regional = new RegionShare(rule.share()).of(counted, whole);
    CalendarWindows windows = CompiledRule.windows(rule, rate);
    Limit share = null;
    if (rule.fallback().action() == StoreFailureFallback.FallbackAction.LOCAL) {
      Rate localRate = new Rate(rule.fallback().localShare(regional.permits()), rate.period());
      LimitParameters terms =
          parameters(counted, localRate, rule.fallback().localShare(regional.burst()), coolDown);
      share =
          new Limit(rule, rate, counted, shadow, Verdict.COUNT, whole, terms, null, windows, null);
    }
    return new Limit(
        rule, rate, counted, shadow, Verdict.COUNT, whole, regional, share, windows, null);
  }

  /**
   * Creates the limit of a rule of another process that decides without a counter.
   *
   * @param rule the id of the rule
   */
  public static Limit withoutCounter(String rule, Verdict verdict, boolean shadow) {
    RuleAction action = verdict == Verdict.ALLOW ? RuleAction.ALLOW : RuleAction.BLOCK;
    return ofVerdict(Rule.named(rule).action(action).shadow(shadow).build(), verdict);
  }

  /** Creates the limit of a rule that decides without a counter; it has no permits. */
  static Limit ofVerdict(Rule rule, Verdict verdict) {
    Rate none = new Rate(0, Duration.ofSeconds(1));
    LimitParameters terms = parameters(Algorithms.FIXED_WINDOW, none, 0, 0);
    return new Limit(
        rule,
        none,
        Algorithms.FIXED_WINDOW,
        rule.shadow(),
        verdict,
        terms,
        terms,
        null,
        null,
        null);
  }

  /** Checks that at least the fixed window algorithm supports a rate, and returns the rate. */
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

  /** Returns how the time of a charge decides until when it counts. */
  public WindowModel windowModel() {
    return algorithm.windowModel();
  }

  /** Returns whether it limits the requests that run at the same time, instead of a rate. */
  @SuppressWarnings("ReferenceEquality") // there is one instance
  public boolean isInFlight() {
    return algorithm == Algorithms.IN_FLIGHT;
  }

  /** Returns whether the limit is evaluated but not enforced. */
  public boolean shadow() {
    return shadow;
  }

  /** Returns whether a counter decides, or the rule itself does. */
  public Verdict verdict() {
    return verdict;
  }

  /** Returns whether a counter decides. */
  public boolean isCounted() {
    return verdict == Verdict.COUNT;
  }

  /**
   * Returns whether the charge is deferred: a decision only checks whether the cost is available,
   * and charges nothing, because the status of the response determines whether it is charged.
   */
  public boolean deferred() {
    return deferred;
  }

  /**
   * Returns the parameters that are enforced in this region. If they change with time, the period
   * is the nominal one; see {@link #parametersAt}.
   */
  public LimitParameters parameters() {
    return parameters;
  }

  /** Returns the parameters that are enforced in this region at a time of the store. */
  public LimitParameters parametersAt(long now) {
    return timeline == null ? parameters : timeline.at(now);
  }

  /** Returns how the parameters change with time; null if they do not. */
  public @Nullable LimitTimeline timeline() {
    return timeline;
  }

  /** Returns the windows of the calendar that the limit counts in; null if it has none. */
  public @Nullable CalendarWindows windows() {
    return timeline == null ? null : timeline.windows();
  }

  /** Returns this limit in the windows of a caller, on the same counters. */
  Limit variant(CalendarWindows callers) {
    return new Limit(
        rule,
        rate,
        algorithm,
        shadow,
        verdict,
        configuredParameters,
        parameters,
        localFallback == null ? null : localFallback.variant(callers),
        callers,
        origin);
  }

  /** Returns the limit of the rule that this one is a variant of, or this. */
  Limit origin() {
    return origin;
  }

  /** Returns the parameters as configured; a region may enforce only a share of them. */
  public LimitParameters configuredParameters() {
    return configuredParameters;
  }

  /** Checks that every share of the limit can be counted. */
  void checkShares() {
    if (configuredParameters.permits() > 0) {
      RegionShare.check(algorithm, configuredParameters);
    }
  }

  /**
   * Returns the limit this node enforces alone while the store is unavailable, for fallback LOCAL.
   */
  public @Nullable Limit localFallback() {
    return localFallback;
  }

  long salt() {
    return salt;
  }

  /** Returns the largest cost that can ever be admitted. */
  public long capacity() {
    return algorithm.capacity(parameters);
  }

  /** Returns whether two times are in the same window; a bucket has only one window. */
  public boolean isSameWindow(long one, long other) {
    return windowModel() == WindowModel.CONTINUOUS
        || parametersAt(one).windowStart(one) == parametersAt(other).windowStart(other);
  }

  /**
   * Returns the key of a caller's counter. The upper 16 bits come from the caller alone and are the
   * same for all limits that count per the same attributes, so that a store can keep the counters
   * of a caller together. The lower 48 bits mix caller and limit.
   */
  static long key(long caller, long salt) {
    long mixed = Fingerprint.mix(caller ^ salt);
    return (caller & 0xFFFF_0000_0000_0000L) | (mixed >>> 16);
  }

  @Override
  public String toString() {
    return rule.id() + " " + (isInFlight() ? rate.permits() + " in flight" : rate);
  }
}
