package io.weir.rule;

import io.weir.internal.algorithm.Algorithm;
import io.weir.internal.algorithm.Algorithms;
import io.weir.internal.algorithm.WindowModel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
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
  private final Map<Rate, Limit> requestLimits = new ConcurrentHashMap<>();
  private final @Nullable Limit missingRefusal;

  Rule(RuleBuilder spec) {
    this.spec = spec;
    validate();
    limits = compileOwnLimits();
    missingRefusal =
        spec.missing == MissingAttributePolicy.REFUSE
            ? Limit.ofVerdict(this, Verdict.REFUSE_MISSING)
            : null;
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

  public RuleAction action() {
    return spec.action;
  }

  /** Returns the selector of the requests that the rule matches. */
  public Selector match() {
    return spec.match;
  }

  /** Returns the attributes to count per: one counter per tuple of values; one in all if empty. */
  public List<String> per() {
    return spec.per;
  }

  /** Returns what happens to a request that lacks an attribute to count per. */
  public MissingAttributePolicy missing() {
    return spec.missing;
  }

  /** Returns the rates; none if the rule allows or blocks. */
  public List<Rate> rates() {
    return spec.rates;
  }

  public Algorithm algorithm() {
    return spec.algorithm;
  }

  /** Returns the configured size of the bucket, or 0 if it equals the permits of the limit. */
  public long burst() {
    return spec.burst;
  }

  /** Returns how long a used fixed window stays open past its end. */
  public Duration coolDown() {
    return spec.coolDown;
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
    long coolDown = Durations.toMicros(spec.coolDown);
    coolDown = coolDown < Durations.toMicros(rate.period()) ? coolDown : 0;
    Limit limit;
    try {
      limit = Limit.ofRequest(this, spec.algorithm, rate, coolDown);
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
    return override < 0 ? limits : overrideLimits.get(override);
  }

  /** Returns the limit that refuses a request without an attribute, if the rule does so. */
  @Nullable Limit missingRefusal() {
    return missingRefusal;
  }

  private List<Limit> compileOwnLimits() {
    return switch (spec.action) {
      case ALLOW -> List.of(Limit.ofVerdict(this, Verdict.ALLOW));
      case BLOCK -> List.of(Limit.ofVerdict(this, Verdict.BLOCK));
      case LIMIT -> compile("limit", spec.rates, spec.burst);
    };
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
    if (spec.action != RuleAction.LIMIT) {
      checkNothingIsCounted();
    }
    if (!spec.coolDown.isZero() && !spec.algorithm.hasCoolDown()) {
      throw invalid("cool-down", "is not supported by " + spec.algorithm.name() + "; leave it out");
    }
  }

  /** A rule that allows or blocks only has a selector; other fields would have no effect. */
  private void checkNothingIsCounted() {
    RuleBuilder plain =
        new RuleBuilder(spec.id)
            .action(spec.action)
            .match(spec.match)
            .shadow(spec.shadow)
            .enabled(spec.enabled);
    plain.share = spec.share;
    List<Object> allowed = plain.values();
    List<Object> actual = spec.values();
    for (int i = 0; i < actual.size(); i++) {
      if (!actual.get(i).equals(allowed.get(i))) {
        throw invalid(
            RuleBuilder.FIELD_NAMES.get(i),
            "has no effect with action: %s; leave it out"
                .formatted(spec.action.name().toLowerCase(Locale.ROOT)));
      }
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
    if (burst != 0 && spec.algorithm.windowModel() != WindowModel.CONTINUOUS) {
      throw invalid("burst", "is not supported by " + spec.algorithm.name() + "; leave it out");
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
    try {
      return Limit.of(this, spec.algorithm, rate, burst, Durations.toMicros(spec.coolDown));
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
