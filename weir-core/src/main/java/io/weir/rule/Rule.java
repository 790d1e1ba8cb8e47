package io.weir.rule;

import io.weir.internal.algorithm.Algorithm;
import io.weir.internal.algorithm.Algorithms;
import io.weir.internal.algorithm.WindowModel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A rate limiting rule: which requests it matches, which attributes it counts by, its limits and
 * how they are counted.
 *
 * <p>Immutable. Created with a {@link RuleBuilder} from {@link #named}, or from another rule with
 * {@link #edit}. Two rules are equal if their settings are equal.
 */
public final class Rule {
  private static final int MAX_PER_ATTRIBUTES = 8;
  private static final Pattern ID_PATTERN = Pattern.compile("[a-z0-9-]{1,64}");

  /** Bounds the memory that requests with ever new limits can occupy. */
  private static final int MAX_CACHED_REQUEST_LIMITS = 64;

  private final RuleBuilder spec;
  private final List<Limit> limits;
  private final List<List<Limit>> overrideLimits = new ArrayList<>();
  private final SelectorIndex overrideIndex;
  private final @Nullable CallerCalendars callerCalendars;
  private final Map<Rate, Limit> requestLimits = new ConcurrentHashMap<>();

  Rule(RuleBuilder spec) {
    this.spec = spec;
    validate();
    CalendarSettings calendar = spec.calendar;
    callerCalendars =
        calendar == null || !calendar.dependsOnCaller()
            ? null
            : new CallerCalendars(spec.id, calendar, spec.invalidCalendarValues);
    limits = compile("limit", spec.rates, spec.burst);
    for (LimitOverride override : spec.overrides) {
      overrideLimits.add(compile("overrides", override.rates(), override.burst()));
    }
    overrideIndex = new SelectorIndex(spec.overrides.stream().map(LimitOverride::when).toList());
    if (!spec.regions.isEmpty()) {
      allLimits().forEach(limit -> spec.runWithContext("regions", limit::checkShares));
    }
  }

  /** Starts building a rule. */
  public static RuleBuilder named(String id) {
    return new RuleBuilder(id);
  }

  /** Starts building a rule with the settings of this one. */
  public RuleBuilder edit() {
    return new RuleBuilder(spec);
  }

  /**
   * Returns this rule as one region enforces it. Its settings are the same, but every limit,
   * including those of overrides and of requests, is this many thousandths of the configured one:
   * at least one permit, or none for a share of zero. It uses the same counters.
   */
  public Rule withShare(int permille) {
    if (permille == spec.share.permille()) {
      return this;
    }
    RuleBuilder builder = new RuleBuilder(spec);
    builder.share = new RegionShare(permille);
    return new Rule(builder);
  }

  public String id() {
    return spec.id;
  }

  /** Returns the selector of the requests that the rule matches. */
  public Selector match() {
    return spec.match;
  }

  /** Returns the attributes to count per: one counter per tuple of values; one in all if empty. */
  public List<String> per() {
    return spec.per;
  }

  public List<Rate> rates() {
    return spec.rates;
  }

  public Algorithm algorithm() {
    return spec.algorithm();
  }

  /** Returns the configured size of the bucket, or 0 if it equals the permits of the limit. */
  public long burst() {
    return spec.burst;
  }

  /** Returns how long a used fixed window stays open past its end. */
  public Duration coolDown() {
    return spec.coolDown;
  }

  /** Returns the calendar of the limits per hour and longer units; null if there is none. */
  public @Nullable CalendarSettings calendar() {
    return spec.calendar;
  }

  /** Returns how many requests had an attribute for the calendar that made no sense. */
  public long invalidCalendarValues() {
    return spec.invalidCalendarValues.get();
  }

  /** Returns whether the windows of the rule depend on attributes of the request. */
  boolean hasCallerCalendars() {
    return callerCalendars != null;
  }

  /** Returns the calendar windows that a rate of this rule counts in; null if it has none. */
  @Nullable CalendarWindows windows(Rate rate) {
    CalendarSettings calendar = spec.calendar;
    CalendarUnit unit = calendar == null ? null : rate.inCalendar().unit();
    return calendar == null || unit == null ? null : calendar.windows(unit);
  }

  public Consistency consistency() {
    return spec.consistency;
  }

  /** Returns how the rule decides while its store is unavailable. */
  public StoreFailureFallback fallback() {
    return spec.fallback;
  }

  /** Returns the percentage of the budget of each region; empty if the budget is not divided. */
  public Map<String, Integer> regions() {
    return spec.regions;
  }

  public List<LimitOverride> overrides() {
    return spec.overrides;
  }

  /** Returns whether the counters must survive a restart of the store. */
  public boolean durable() {
    return spec.durable;
  }

  /** Returns whether the rule is evaluated but not enforced. */
  public boolean shadow() {
    return spec.shadow;
  }

  public boolean enabled() {
    return spec.enabled;
  }

  /** Returns the limits of requests that match no override. */
  public List<Limit> limits() {
    return limits;
  }

  /**
   * Returns the limit for a request that has this rate as a limit of its own. It is enforced even
   * if the rule is a shadow rule. A rate that the algorithm of the rule cannot count exactly is
   * counted in fixed windows.
   *
   * @throws IllegalArgumentException if the rate is not valid for any algorithm
   */
  public Limit limit(Rate rate) {
    Limit known = requestLimits.get(rate);
    if (known != null) {
      return known;
    }
    long coolDown = Durations.toMicros(spec.coolDown);
    coolDown = coolDown < Durations.toMicros(rate.period()) ? coolDown : 0;
    Limit limit;
    try {
      limit = Limit.ofRequest(this, spec.algorithm(), rate, coolDown);
    } catch (IllegalArgumentException e) {
      limit = Limit.ofRequest(this, Algorithms.FIXED_WINDOW, Limit.checkRate(rate), 0);
    }
    if (requestLimits.size() < MAX_CACHED_REQUEST_LIMITS) {
      requestLimits.putIfAbsent(rate, limit);
    }
    return limit;
  }

  /** Returns the share of the limits that this region enforces. */
  RegionShare share() {
    return spec.share;
  }

  /** Returns all limits, those of overrides last. */
  public List<Limit> allLimits() {
    List<Limit> all = new ArrayList<>(limits);
    overrideLimits.forEach(all::addAll);
    return all;
  }

  /**
   * Returns the limit that has replaced {@code earlier}, a limit of another version of this rule:
   * the limit of the same override if it still exists, otherwise the limit of the rule itself.
   * Returns {@code earlier} if none of these uses the same counters.
   */
  Limit successor(Limit earlier) {
    Limit limit = successorOfOrigin(earlier.origin());
    CalendarWindows windows = earlier.windows();
    return earlier == earlier.origin() || windows == null || limit.windows() == null
        ? limit
        : limit.variant(windows);
  }

  private Limit successorOfOrigin(Limit earlier) {
    Rule other = earlier.rule();
    for (int i = 0; i < other.overrideLimits.size(); i++) {
      if (other.overrideLimits.get(i).contains(earlier)) {
        Selector when = other.overrides().get(i).when();
        for (int k = 0; k < overrideLimits.size(); k++) {
          if (overrides().get(k).when().equals(when)) {
            return findWithSameCounters(overrideLimits.get(k), earlier);
          }
        }
      }
    }
    boolean own = other.allLimits().contains(earlier);
    return findWithSameCounters(own ? limits : List.of(limit(earlier.rate())), earlier);
  }

  private static Limit findWithSameCounters(List<Limit> candidates, Limit earlier) {
    return candidates.stream()
        .filter(limit -> limit.salt() == earlier.salt())
        .findFirst()
        .orElse(earlier);
  }

  /** Returns the limits that apply to a request. */
  List<Limit> limits(Attributes request) {
    int override = overrideLimits.isEmpty() ? -1 : overrideIndex.first(request);
    List<Limit> found = override < 0 ? limits : overrideLimits.get(override);
    return callerCalendars == null ? found : callerCalendars.limits(found, override, request);
  }

  private void validate() {
    if (!ID_PATTERN.matcher(spec.id).matches()) {
      throw invalid("id", "must be 1 to 64 characters of a-z, 0-9 and -");
    }
    if (spec.per.size() > MAX_PER_ATTRIBUTES || new HashSet<>(spec.per).size() < spec.per.size()) {
      throw invalid("per", "must name at most 8 attributes, each once (was " + spec.per + ")");
    }
    spec.per.forEach(name -> spec.runWithContext("per", () -> Selector.checkName(name)));
    checkRegions();
    if (spec.calendar != null) {
      checkCalendar();
    }
    if (!spec.coolDown.isZero() && !spec.algorithm().hasCoolDown()) {
      throw invalid(
          "cool-down", "is not supported by " + spec.algorithm().name() + "; leave it out");
    }
  }

  private void checkCalendar() {
    if (spec.algorithm() != Algorithms.FIXED_WINDOW) {
      throw invalid(
          "algorithm",
          "must be fixed-window for windows of the calendar (was " + spec.algorithm().name() + ")");
    }
    if (!spec.coolDown.isZero()) {
      throw invalid("cool-down", "is not supported by windows of the calendar; leave it out");
    }
    if (spec.rates.stream().allMatch(rate -> windows(rate) == null) && !spec.rates.isEmpty()) {
      throw invalid(
          "calendar",
          "has no effect on "
              + spec.rates
              + "; write a limit per hour, day, week, month, quarter or year, for example"
              + " 1000/month");
    }
  }

  private void checkRegions() {
    long sum = 0;
    for (Map.Entry<String, Integer> share : spec.regions.entrySet()) {
      if (!ID_PATTERN.matcher(share.getKey()).matches()) {
        throw invalid(
            "regions", "'" + share.getKey() + "' must be 1 to 64 characters of a-z, 0-9 and -");
      }
      if (share.getValue() < 1) {
        throw invalid(
            "regions",
            share.getKey() + " must be between 1% and 100% (was " + share.getValue() + "%)");
      }
      sum += share.getValue();
    }
    if (sum > 100) {
      throw invalid("regions", "must add up to at most 100% (was " + sum + "%)");
    }
  }

  private List<Limit> compile(String field, List<Rate> rates, long burst) {
    if (rates.isEmpty()) {
      throw invalid(field, "is missing; write how many per how long, such as 100/minute");
    }
    if (burst != 0 && spec.algorithm().windowModel() != WindowModel.CONTINUOUS) {
      throw invalid("burst", "is not supported by " + spec.algorithm().name() + "; leave it out");
    }
    if (burst != 0 && rates.size() > 1) {
      throw invalid("burst", "is only allowed with a single limit; leave it out or split the rule");
    }
    Set<Duration> periods = new HashSet<>();
    List<Limit> compiled = new ArrayList<>();
    for (Rate rate : rates) {
      if (!periods.add(rate.period())) {
        throw invalid(field, "has two rates per " + Durations.format(rate.period()) + "; keep one");
      }
      if (burst != 0 && rate.permits() == 0) {
        throw invalid("burst", "is not allowed with a limit of 0; leave it out");
      }
      spec.runWithContext(field, () -> compiled.add(compile(rate, burst)));
    }
    return List.copyOf(compiled);
  }

  private Limit compile(Rate rate, long burst) {
    if (rate.unit() != null && spec.calendar == null) {
      throw new IllegalArgumentException(
          String.format(
              "%s needs calendar: true, for each %s of the calendar; or write %d/%s for windows of"
                  + " that length",
              rate, rate.unit(), rate.permits(), Durations.format(rate.period())));
    }
    try {
      return Limit.of(this, spec.algorithm(), rate, burst, Durations.toMicros(spec.coolDown));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(rate + " " + e.getMessage(), e);
    }
  }

  private RuleException invalid(String field, String reason) {
    return new RuleException(spec.id, field, reason);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Rule that && spec.values().equals(that.spec.values());
  }

  @Override
  public int hashCode() {
    return spec.values().hashCode();
  }

  @Override
  public String toString() {
    return "rule " + spec.id + " " + spec.rates + " per " + spec.per;
  }
}
