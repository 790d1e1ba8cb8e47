package io.weir.rule;

import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Algorithms;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * One rule: whom it meets, per what it counts, how many per how long, and how.
 *
 * <p>Immutable; made by {@link #named}, which begins a {@link RuleBuilder}, or from another by
 * {@link #edit}. Two rules are equal if they say the same.
 */
public final class Rule {
  private static final int MAX_PER_ATTRIBUTES = 8;
  private static final Pattern ID_PATTERN = Pattern.compile("[a-z0-9-]{1,64}");

  /** So that callers who name ever new rates cannot fill the memory. */
  private static final int MAX_CACHED_REQUEST_LIMITS = 64;

  private final RuleBuilder spec;
  private final List<Limit> limits;
  private final List<List<Limit>> overrideLimits = new ArrayList<>();
  private final SelectorIndex overrideIndex;
  private final Map<Rate, Limit> requestLimits = new ConcurrentHashMap<>();

  Rule(RuleBuilder spec) {
    this.spec = spec;
    validate();
    limits = compile("limit", spec.rates, spec.burst);
    for (LimitOverride override : spec.overrides) {
      overrideLimits.add(compile("overrides", override.rates(), override.burst()));
    }
    overrideIndex = new SelectorIndex(spec.overrides.stream().map(LimitOverride::when).toList());
    if (!spec.regions.isEmpty()) {
      allLimits().forEach(limit -> spec.runWithContext("regions", limit::checkShares));
    }
  }

  /** Begins a rule. */
  public static RuleBuilder named(String id) {
    return new RuleBuilder(id);
  }

  /** Begins another rule that says the same so far. */
  public RuleBuilder edit() {
    return new RuleBuilder(spec);
  }

  /**
   * The rule as one region enforces it: it says the same, and its limits, those of overrides and
   * those that requests bring included, are that many thousandths of what is written, at least one
   * permit each; none of zero. Its counters are the same.
   */
  public Rule withShare(int permille) {
    if (permille == spec.share.permille()) {
      return this;
    }
    RuleBuilder divided = new RuleBuilder(spec);
    divided.share = new RegionShare(permille);
    return new Rule(divided);
  }

  public String id() {
    return spec.id;
  }

  /** Whom the rule meets. */
  public Selector match() {
    return spec.match;
  }

  /** The attributes it counts per: one counter for each tuple of values; none: one for all. */
  public List<String> per() {
    return spec.per;
  }

  public List<Rate> rates() {
    return spec.rates;
  }

  public Algorithm algorithm() {
    return spec.algorithm;
  }

  /** The bucket's size as written, or 0 where the limit itself is the size. */
  public long burst() {
    return spec.burst;
  }

  /** For how long a used fixed window stays open past its end. */
  public Duration coolDown() {
    return spec.coolDown;
  }

  public Consistency consistency() {
    return spec.consistency;
  }

  /** What is answered when the store does not. */
  public StoreFailureFallback fallback() {
    return spec.fallback;
  }

  /** The percentage of the budget each region has; empty if it is not divided. */
  public Map<String, Integer> regions() {
    return spec.regions;
  }

  public List<LimitOverride> overrides() {
    return spec.overrides;
  }

  /** Whether its counters must outlive a restart of the store. */
  public boolean durable() {
    return spec.durable;
  }

  /** Whether it is judged but not enforced. */
  public boolean shadow() {
    return spec.shadow;
  }

  public boolean enabled() {
    return spec.enabled;
  }

  /** The limits of callers no override is for. */
  public List<Limit> limits() {
    return limits;
  }

  /**
   * The limit of a request that is held to this rate instead of the rule's own; enforced also if
   * the rule is a shadow. What the rule's algorithm could not count exactly is counted in fixed
   * windows.
   *
   * @throws IllegalArgumentException if no rule could have such a limit
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

  /** The part of the limits that is enforced here. */
  RegionShare share() {
    return spec.share;
  }

  /** The limits of all callers, those of overrides last. */
  public List<Limit> allLimits() {
    List<Limit> every = new ArrayList<>(limits);
    overrideLimits.forEach(every::addAll);
    return every;
  }

  /**
   * The limit that now holds those whom another version of this rule held to {@code earlier}: that
   * of the same override if there still is one, or else the rule's own. The earlier limit itself if
   * none of these counts on its counters.
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

  /** The limits of this caller. */
  List<Limit> limits(Attributes request) {
    int override = overrideLimits.isEmpty() ? -1 : overrideIndex.first(request);
    return override < 0 ? limits : overrideLimits.get(override);
  }

  private void validate() {
    if (!ID_PATTERN.matcher(spec.id).matches()) {
      throw invalid("id", "cannot be; write 1 to 64 of a-z, 0-9 and -");
    }
    if (spec.per.size() > MAX_PER_ATTRIBUTES || new HashSet<>(spec.per).size() < spec.per.size()) {
      throw invalid("per", "counts per " + spec.per + "; name at most 8 attributes, each once");
    }
    spec.per.forEach(name -> spec.runWithContext("per", () -> Selector.checkName(name)));
    checkRegions();
    if (!spec.coolDown.isZero() && !spec.algorithm.hasCoolDown()) {
      throw invalid("cool-down", "means nothing to " + spec.algorithm.name() + "; leave it out");
    }
  }

  private void checkRegions() {
    long sum = 0;
    for (Map.Entry<String, Integer> share : spec.regions.entrySet()) {
      if (!ID_PATTERN.matcher(share.getKey()).matches()) {
        throw invalid(
            "regions", "'" + share.getKey() + "' cannot be; write 1 to 64 of a-z, 0-9 and -");
      }
      if (share.getValue() < 1) {
        throw invalid(
            "regions", share.getKey() + " has " + share.getValue() + "%; write 1% to 100%");
      }
      sum += share.getValue();
    }
    if (sum > 100) {
      throw invalid("regions", "share out " + sum + "%; write shares of at most 100% together");
    }
  }

  private List<Limit> compile(String field, List<Rate> rates, long burst) {
    if (rates.isEmpty()) {
      throw invalid(field, "is missing; write how many per how long, such as 100/minute");
    }
    if (burst != 0 && !spec.algorithm.hasBurst()) {
      throw invalid("burst", "means nothing to " + spec.algorithm.name() + "; leave it out");
    }
    if (burst != 0 && rates.size() > 1) {
      throw invalid("burst", "goes with a single limit; leave it out or split the rule");
    }
    Set<Duration> periods = new HashSet<>();
    List<Limit> compiled = new ArrayList<>();
    for (Rate rate : rates) {
      if (!periods.add(rate.period())) {
        throw invalid(field, "has two rates per " + Durations.format(rate.period()) + "; keep one");
      }
      if (burst != 0 && rate.permits() == 0) {
        throw invalid("burst", "means nothing to a limit of 0; leave it out");
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
