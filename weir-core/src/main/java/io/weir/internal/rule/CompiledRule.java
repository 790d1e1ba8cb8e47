package io.weir.internal.rule;

import io.weir.internal.Durations;
import io.weir.internal.algorithm.Algorithm;
import io.weir.internal.algorithm.Algorithms;
import io.weir.internal.algorithm.WindowModel;
import io.weir.rule.Attributes;
import io.weir.rule.CalendarSettings;
import io.weir.rule.CalendarUnit;
import io.weir.rule.LimitOverride;
import io.weir.rule.MissingAttributePolicy;
import io.weir.rule.Rate;
import io.weir.rule.Rule;
import io.weir.rule.RuleBuilder;
import io.weir.rule.RuleException;
import io.weir.rule.Selector;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A rule with its compiled limits: what the engine knows about a {@link Rule}. Every rule is one;
 * the public class hides it. Immutable.
 */
public final class CompiledRule extends Rule {
  /** Bounds the memory that requests with ever new limits can occupy. */
  private static final int MAX_CACHED_REQUEST_LIMITS = 64;

  private final Algorithm algorithm;
  private final List<Limit> limits;
  private final List<List<Limit>> overrideLimits = new ArrayList<>();
  private final SelectorIndex overrideIndex;
  private final @Nullable CallerCalendars callerCalendars;
  private final Map<Rate, Limit> requestLimits = new ConcurrentHashMap<>();
  private final @Nullable Limit missingRefusal;

  /**
   * Checks and compiles a rule.
   *
   * @throws RuleException if it is not valid
   */
  public CompiledRule(RuleBuilder spec) {
    super(spec);
    algorithm = Algorithms.named(algorithm());
    CalendarSettings calendar = calendar();
    callerCalendars =
        calendar == null || !calendar.dependsOnCaller()
            ? null
            : new CallerCalendars(id(), calendar, this::countInvalidCalendarValue);
    limits = compileOwnLimits();
    missingRefusal =
        missing() == MissingAttributePolicy.REFUSE
            ? Limit.ofVerdict(this, Verdict.REFUSE_MISSING)
            : null;
    for (LimitOverride override : overrides()) {
      overrideLimits.add(compile(override));
    }
    overrideIndex = new SelectorIndex(overrides().stream().map(LimitOverride::when).toList());
    if (!regions().isEmpty()) {
      allLimits()
          .forEach(limit -> RuleException.runWithContext(id(), "regions", limit::checkShares));
    }
  }

  /** Returns the compiled form of a rule. */
  public static CompiledRule of(Rule rule) {
    return (CompiledRule) rule;
  }

  /**
   * Returns the limits of requests that match no override. A rule that allows or blocks has one
   * that decides without a counter.
   */
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
    long coolDown = Durations.toMicros(coolDown());
    coolDown = coolDown < Durations.toMicros(rate.period()) ? coolDown : 0;
    Limit limit;
    try {
      limit = Limit.ofRequest(this, algorithm, rate, coolDown);
    } catch (IllegalArgumentException e) {
      limit = Limit.ofRequest(this, Algorithms.FIXED_WINDOW, Limit.checkRate(rate), 0);
    }
    if (requestLimits.size() < MAX_CACHED_REQUEST_LIMITS) {
      requestLimits.putIfAbsent(rate, limit);
    }
    return limit;
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
    CompiledRule other = CompiledRule.of(earlier.rule());
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
    boolean hasSuccessor = own || earlier.isInFlight();
    return findWithSameCounters(hasSuccessor ? limits : List.of(limit(earlier.rate())), earlier);
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

  /** Returns whether all requests have the same limit. */
  boolean hasSingleLimit() {
    return limits.size() == 1 && overrides().isEmpty() && callerCalendars == null;
  }

  /** Returns the calendar windows that a rate of a rule counts in; null if it has none. */
  static @Nullable CalendarWindows windows(Rule rule, Rate rate) {
    CalendarSettings calendar = rule.calendar();
    CalendarUnit unit = calendar == null ? null : rate.inCalendar().unit();
    return calendar == null || unit == null ? null : CalendarWindows.of(calendar, unit);
  }

  /** Returns the limit that refuses a request without an attribute, if the rule does so. */
  @Nullable Limit missingRefusal() {
    return missingRefusal;
  }

  private List<Limit> compileOwnLimits() {
    return switch (action()) {
      case ALLOW -> List.of(Limit.ofVerdict(this, Verdict.ALLOW));
      case BLOCK -> List.of(Limit.ofVerdict(this, Verdict.BLOCK));
      case LIMIT -> compile("limit", rates(), burst(), inFlight());
    };
  }

  /** An override keeps the rates of the rule if it has none, and its in-flight limit likewise. */
  private List<Limit> compile(LimitOverride override) {
    boolean hasRates = !override.rates().isEmpty();
    if (!hasRates && override.inFlight() == 0) {
      throw invalid("overrides", "must have a limit or in-flight, for example limit: 6000/minute");
    }
    return compile(
        "overrides",
        hasRates ? override.rates() : rates(),
        hasRates ? override.burst() : burst(),
        override.inFlight() == 0 ? inFlight() : override.inFlight());
  }

  private List<Limit> compile(String field, List<Rate> rates, long burst, int inFlight) {
    if (rates.isEmpty() && inFlight == 0) {
      throw invalid(field, "is missing; write how many per how long, such as 100/minute");
    }
    if (burst != 0 && algorithm.windowModel() != WindowModel.CONTINUOUS) {
      throw invalid("burst", "is not supported by " + algorithm() + "; leave it out");
    }
    if (burst != 0 && rates.isEmpty()) {
      throw invalid("burst", "is only allowed with a limit; leave it out");
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
      RuleException.runWithContext(id(), field, () -> compiled.add(compile(rate, burst)));
    }
    if (inFlight > 0) {
      compiled.add(Limit.ofInFlight(this, inFlight, heldAtMost()));
    }
    return List.copyOf(compiled);
  }

  private Limit compile(Rate rate, long burst) {
    if (rate.unit() != null && calendar() == null) {
      throw new IllegalArgumentException(
          String.format(
              "%s needs calendar: true, for each %s of the calendar; or write %d/%s for windows of"
                  + " that length",
              rate, rate.unit(), rate.permits(), Durations.format(rate.period())));
    }
    try {
      return Limit.of(this, algorithm, rate, burst, Durations.toMicros(coolDown()));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(rate + " " + e.getMessage(), e);
    }
  }

  private RuleException invalid(String field, String reason) {
    return new RuleException(id(), field, reason);
  }
}
