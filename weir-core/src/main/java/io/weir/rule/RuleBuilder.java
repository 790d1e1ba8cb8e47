package io.weir.rule;

import io.weir.internal.algorithm.Algorithm;
import io.weir.internal.algorithm.Algorithms;
import io.weir.internal.rule.CompiledRule;
import io.weir.internal.rule.Limit;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Builds a {@link Rule}. Setters check single values, {@link #build} checks the whole rule. */
public final class RuleBuilder {
  final String id;
  RuleAction action = RuleAction.LIMIT;
  Selector match = Selector.ANY;
  List<String> per = List.of();
  MissingAttributePolicy missing = MissingAttributePolicy.ADDRESS;
  List<Rate> rates = List.of();
  @Nullable Algorithm algorithm;
  long burst;
  Duration coolDown = Duration.ZERO;
  int inFlight;
  Duration heldAtMost = Rule.DEFAULT_HELD_AT_MOST;
  @Nullable CalendarSettings calendar;
  AtomicLong invalidCalendarValues = new AtomicLong();
  Consistency consistency = Consistency.EXACT;
  StoreFailureFallback fallback = StoreFailureFallback.OPEN;
  Map<String, Integer> regions = Map.of();
  List<LimitOverride> overrides = List.of();
  StatusSet chargeWhen = StatusSet.EMPTY;
  StatusSet refundWhen = StatusSet.EMPTY;
  boolean durable;
  boolean shadow;
  boolean enabled = true;
  int share = 1000;

  RuleBuilder(String id) {
    this.id = Objects.requireNonNull(id);
  }

  RuleBuilder(RuleBuilder other) {
    id = other.id;
    action = other.action;
    match = other.match;
    per = other.per;
    missing = other.missing;
    rates = other.rates;
    algorithm = other.algorithm;
    burst = other.burst;
    coolDown = other.coolDown;
    inFlight = other.inFlight;
    heldAtMost = other.heldAtMost;
    calendar = other.calendar;
    invalidCalendarValues = other.invalidCalendarValues;
    consistency = other.consistency;
    fallback = other.fallback;
    regions = other.regions;
    overrides = other.overrides;
    chargeWhen = other.chargeWhen;
    refundWhen = other.refundWhen;
    durable = other.durable;
    shadow = other.shadow;
    enabled = other.enabled;
    share = other.share;
  }

  /** Sets what the rule does with the requests that it matches; by default it limits them. */
  public RuleBuilder action(RuleAction value) {
    action = value;
    return this;
  }

  /** Adds a condition: the attribute must match one of the patterns. */
  public RuleBuilder match(String attribute, String... patterns) {
    return runWithContext("match", () -> match = match.and(attribute, patterns));
  }

  public RuleBuilder match(Selector selector) {
    match = selector;
    return this;
  }

  public RuleBuilder per(String... attributes) {
    per = Arrays.stream(attributes).map(Selector::canonicalName).toList();
    return this;
  }

  /** Sets what the rule does with requests that lack an attribute it counts per. */
  public RuleBuilder missing(MissingAttributePolicy value) {
    missing = value;
    return this;
  }

  /** Sets one or several rates, such as {@code 10/second} and {@code 1000/hour}; all must admit. */
  public RuleBuilder limit(String... limits) {
    return runWithContext("limit", () -> rates = Arrays.stream(limits).map(Rate::parse).toList());
  }

  /** Sets a single rate, such as 10 permits per second. */
  public RuleBuilder limit(long permits, Duration period) {
    return runWithContext("limit", () -> rates = List.of(new Rate(permits, period)));
  }

  public RuleBuilder limit(List<Rate> limits) {
    rates = List.copyOf(limits);
    return this;
  }

  /** Sets the algorithm by name, such as {@code token-bucket}. */
  public RuleBuilder algorithm(String name) {
    return runWithContext("algorithm", () -> algorithm = Algorithms.named(name));
  }

  /** Sets the size of the token bucket, or of the queue of the leaky bucket. */
  public RuleBuilder burst(long permits) {
    if (permits < 1) {
      throw new RuleException(id, "burst", "must be at least 1 (was " + permits + ")");
    }
    burst = permits;
    return this;
  }

  /** Sets how long a used fixed window stays open past its end. */
  public RuleBuilder coolDown(Duration duration) {
    coolDown = duration.truncatedTo(ChronoUnit.MICROS);
    return this;
  }

  /** Limits how many requests of a counter run at the same time; 0 for no such limit. */
  public RuleBuilder inFlight(int slots) {
    return runWithContext("in-flight", () -> inFlight = slots == 0 ? 0 : Limit.checkSlots(slots));
  }

  /** Sets after which time a slot that was not released is free again. */
  public RuleBuilder heldAtMost(Duration duration) {
    heldAtMost = duration.truncatedTo(ChronoUnit.MICROS);
    return this;
  }

  /**
   * Makes limits per hour, day, week, month, quarter and year units of this calendar; null removes
   * the calendar.
   */
  public RuleBuilder calendar(@Nullable CalendarSettings settings) {
    calendar = settings;
    return this;
  }

  /** Changes the calendar of the rule, or the default one if it has none. */
  public RuleBuilder calendar(UnaryOperator<CalendarSettings> change) {
    calendar = change.apply(calendar == null ? CalendarSettings.DEFAULT : calendar);
    return this;
  }

  /** Sets the time zone of the calendar, such as {@code Europe/Berlin}. */
  public RuleBuilder zone(String name) {
    return runWithContext(
        "zone", () -> calendar(old -> old.withZone(null, CalendarSettings.zone(name))));
  }

  /** Sets the day of the month, 1 to 31, on which months, quarters and years begin. */
  public RuleBuilder resetDay(int day) {
    return runWithContext("reset-day", () -> calendar(old -> old.withResetDay(null, day)));
  }

  /** Returns the algorithm that was set, or the default one. */
  Algorithm algorithm() {
    if (algorithm != null) {
      return algorithm;
    }
    return calendar == null ? Algorithms.TOKEN_BUCKET : Algorithms.FIXED_WINDOW;
  }

  public RuleBuilder consistency(Consistency value) {
    consistency = value;
    return this;
  }

  /** Sets how the rule decides while the store is unavailable. */
  public RuleBuilder onStoreFailure(StoreFailureFallback value) {
    fallback = value;
    return this;
  }

  /** Sets the percentage of the budget per region; without regions it is not divided. */
  public RuleBuilder regions(Map<String, Integer> percents) {
    regions = Collections.unmodifiableMap(new LinkedHashMap<>(percents));
    return this;
  }

  public RuleBuilder overrides(LimitOverride... values) {
    overrides = List.of(values);
    return this;
  }

  /**
   * Counts only requests whose response has one of these statuses, such as {@code 401} or {@code
   * 5xx}. They are checked before they proceed and charged by {@link io.weir.Limiter#complete}.
   */
  public RuleBuilder chargeWhen(String... statuses) {
    return runWithContext("charge-when", () -> chargeWhen = StatusSet.of(List.of(statuses)));
  }

  /**
   * Refunds requests whose response has one of these statuses, such as {@code 503} or {@code 4xx},
   * in {@link io.weir.Limiter#complete}.
   */
  public RuleBuilder refundWhen(String... statuses) {
    return runWithContext("refund-when", () -> refundWhen = StatusSet.of(List.of(statuses)));
  }

  public RuleBuilder durable(boolean value) {
    durable = value;
    return this;
  }

  public RuleBuilder shadow(boolean value) {
    shadow = value;
    return this;
  }

  public RuleBuilder enabled(boolean value) {
    enabled = value;
    return this;
  }

  /**
   * Builds the rule.
   *
   * @throws RuleException if it is not valid, with the field and the reason
   */
  public Rule build() {
    return new CompiledRule(new RuleBuilder(this));
  }

  RuleBuilder runWithContext(String field, Runnable step) {
    RuleException.runWithContext(id, field, step);
    return this;
  }

  List<Object> values() {
    return List.of(
        id,
        action,
        match,
        per,
        missing,
        rates,
        algorithm(),
        burst,
        coolDown,
        inFlight,
        heldAtMost,
        calendar == null ? "" : calendar,
        consistency,
        fallback,
        regions,
        overrides,
        chargeWhen.patterns(),
        refundWhen.patterns(),
        durable,
        shadow,
        enabled,
        share);
  }
}
