package io.weir.rule;

import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Algorithms;
import io.weir.algorithm.Terms;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * One rule: whom it meets, per what it counts, how many per how long, and how.
 *
 * <p>Immutable; made by {@link #named}, which begins a {@link Builder}, or from another by {@link
 * #edit}. Two rules are equal if they say the same.
 */
public final class Rule {
  private static final int MAX_PER = 8;

  private final Builder spec;
  private final List<Limit> limits;
  private final List<List<Limit>> overrideLimits = new ArrayList<>();
  private final SelectorIndex overrideIndex;

  private Rule(Builder spec) {
    this.spec = spec;
    check();
    limits = compile("limit", spec.rates, spec.burst);
    for (LimitOverride override : spec.overrides) {
      overrideLimits.add(compile("overrides", override.rates(), override.burst()));
    }
    overrideIndex = new SelectorIndex(spec.overrides.stream().map(LimitOverride::when).toList());
  }

  /** Begins a rule. */
  public static Builder named(String id) {
    return new Builder(id);
  }

  /** Begins another rule that says the same so far. */
  public Builder edit() {
    return new Builder(spec);
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
  public Posture posture() {
    return spec.posture;
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

  /** The limits of this caller. */
  List<Limit> limits(Attributes request) {
    int override = overrideLimits.isEmpty() ? -1 : overrideIndex.first(request);
    return override < 0 ? limits : overrideLimits.get(override);
  }

  private void check() {
    if (!spec.id.matches("[a-z0-9-]{1,64}")) {
      throw wrong("id", "cannot be; write 1 to 64 of a-z, 0-9 and -");
    }
    if (spec.per.size() > MAX_PER || new HashSet<>(spec.per).size() < spec.per.size()) {
      throw wrong("per", "counts per " + spec.per + "; name at most 8 attributes, each once");
    }
    spec.per.forEach(name -> spec.within("per", () -> Selector.checkName(name)));
    if (spec.burst != 0 && !spec.algorithm.bursts()) {
      throw wrong("burst", "means nothing to " + spec.algorithm.name() + "; leave it out");
    }
    if (!spec.coolDown.isZero() && !spec.algorithm.coolsDown()) {
      throw wrong("cool-down", "means nothing to " + spec.algorithm.name() + "; leave it out");
    }
  }

  private List<Limit> compile(String field, List<Rate> rates, long burst) {
    if (rates.isEmpty()) {
      throw wrong(field, "is missing; write how many per how long, such as 100/minute");
    }
    if (burst != 0 && rates.size() > 1) {
      throw wrong("burst", "goes with a single limit; leave it out or split the rule");
    }
    Set<Duration> periods = new HashSet<>();
    List<Limit> compiled = new ArrayList<>();
    for (Rate rate : rates) {
      if (!periods.add(rate.period())) {
        throw wrong(field, "has two rates per " + Durations.format(rate.period()) + "; keep one");
      }
      spec.within(field, () -> compiled.add(compile(rate, burst)));
    }
    return List.copyOf(compiled);
  }

  private Limit compile(Rate rate, long burst) {
    long period = Durations.micros(rate.period());
    long size = burst == 0 ? rate.permits() : burst;
    long coolDown = Durations.micros(spec.coolDown);
    try {
      return new Limit(
          this, rate, Terms.of(spec.algorithm, rate.permits(), period, size, coolDown));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(rate + " " + e.getMessage(), e);
    }
  }

  private RuleException wrong(String field, String reason) {
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

  /**
   * A rule in the making. Every setter refuses what can be judged alone, {@link #build} the rest.
   */
  public static final class Builder {
    private final String id;
    private Selector match = Selector.ANY;
    private List<String> per = List.of();
    private List<Rate> rates = List.of();
    private Algorithm algorithm = Algorithms.TOKEN_BUCKET;
    private long burst;
    private Duration coolDown = Duration.ZERO;
    private Consistency consistency = Consistency.EXACT;
    private Posture posture = Posture.OPEN;
    private List<LimitOverride> overrides = List.of();
    private boolean durable;
    private boolean shadow;
    private boolean enabled = true;

    private Builder(String id) {
      this.id = Objects.requireNonNull(id);
    }

    private Builder(Builder other) {
      id = other.id;
      match = other.match;
      per = other.per;
      rates = other.rates;
      algorithm = other.algorithm;
      burst = other.burst;
      coolDown = other.coolDown;
      consistency = other.consistency;
      posture = other.posture;
      overrides = other.overrides;
      durable = other.durable;
      shadow = other.shadow;
      enabled = other.enabled;
    }

    /** Adds a condition: the attribute must meet one of the patterns. */
    public Builder match(String attribute, String... patterns) {
      return within("match", () -> match = match.and(attribute, patterns));
    }

    public Builder match(Selector selector) {
      match = selector;
      return this;
    }

    public Builder per(String... attributes) {
      per = List.of(attributes);
      return this;
    }

    /** One or several rates, decided together, such as {@code 10/second} and {@code 1000/hour}. */
    public Builder limit(String... texts) {
      return within(
          "limit", () -> rates = java.util.Arrays.stream(texts).map(Rate::parse).toList());
    }

    public Builder limit(List<Rate> several) {
      rates = List.copyOf(several);
      return this;
    }

    /** By name, such as {@code token-bucket}. */
    public Builder algorithm(String name) {
      return within("algorithm", () -> algorithm = Algorithms.named(name));
    }

    public Builder algorithm(Algorithm one) {
      algorithm = one;
      return this;
    }

    /** The size of the token bucket, or of the leaky bucket's queue. */
    public Builder burst(long permits) {
      if (permits < 1) {
        throw new RuleException(id, "burst", "of " + permits + " cannot be; write at least 1");
      }
      burst = permits;
      return this;
    }

    /** For how long a used fixed window stays open past its end. */
    public Builder coolDown(Duration duration) {
      coolDown = duration;
      return this;
    }

    public Builder consistency(Consistency one) {
      consistency = one;
      return this;
    }

    /** What is answered when the store does not. */
    public Builder onStoreFailure(Posture one) {
      posture = one;
      return this;
    }

    public Builder overrides(LimitOverride... some) {
      overrides = List.of(some);
      return this;
    }

    public Builder durable(boolean yes) {
      durable = yes;
      return this;
    }

    public Builder shadow(boolean yes) {
      shadow = yes;
      return this;
    }

    public Builder enabled(boolean yes) {
      enabled = yes;
      return this;
    }

    /**
     * The rule.
     *
     * @throws RuleException naming the field, what is wrong and what to write instead
     */
    public Rule build() {
      return new Rule(new Builder(this));
    }

    private Builder within(String field, Runnable step) {
      RuleException.within(id, field, step);
      return this;
    }

    private List<Object> values() {
      return List.of(
          id,
          match,
          per,
          rates,
          algorithm,
          burst,
          coolDown,
          consistency,
          posture,
          overrides,
          durable,
          shadow,
          enabled);
    }
  }
}
