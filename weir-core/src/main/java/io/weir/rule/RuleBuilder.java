package io.weir.rule;

import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Algorithms;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** A rule in the making. Every setter refuses what can be judged alone, {@link #build} the rest. */
public final class RuleBuilder {
  final String id;
  Selector match = Selector.ANY;
  List<String> per = List.of();
  List<Rate> rates = List.of();
  Algorithm algorithm = Algorithms.TOKEN_BUCKET;
  long burst;
  Duration coolDown = Duration.ZERO;
  Consistency consistency = Consistency.EXACT;
  StoreFailureFallback fallback = StoreFailureFallback.OPEN;
  Map<String, Integer> regions = Map.of();
  List<LimitOverride> overrides = List.of();
  boolean durable;
  boolean shadow;
  boolean enabled = true;
  RegionShare share = RegionShare.WHOLE;

  RuleBuilder(String id) {
    this.id = Objects.requireNonNull(id);
  }

  RuleBuilder(RuleBuilder other) {
    id = other.id;
    match = other.match;
    per = other.per;
    rates = other.rates;
    algorithm = other.algorithm;
    burst = other.burst;
    coolDown = other.coolDown;
    consistency = other.consistency;
    fallback = other.fallback;
    regions = other.regions;
    overrides = other.overrides;
    durable = other.durable;
    shadow = other.shadow;
    enabled = other.enabled;
    share = other.share;
  }

  /** Adds a condition: the attribute must meet one of the patterns. */
  public RuleBuilder match(String attribute, String... patterns) {
    return runWithContext("match", () -> match = match.and(attribute, patterns));
  }

  public RuleBuilder match(Selector selector) {
    match = selector;
    return this;
  }

  public RuleBuilder per(String... attributes) {
    per = List.of(attributes);
    return this;
  }

  /** One or several rates, decided together, such as {@code 10/second} and {@code 1000/hour}. */
  public RuleBuilder limit(String... texts) {
    return runWithContext("limit", () -> rates = Arrays.stream(texts).map(Rate::parse).toList());
  }

  public RuleBuilder limit(List<Rate> several) {
    rates = List.copyOf(several);
    return this;
  }

  /** By name, such as {@code token-bucket}. */
  public RuleBuilder algorithm(String name) {
    return runWithContext("algorithm", () -> algorithm = Algorithms.named(name));
  }

  public RuleBuilder algorithm(Algorithm one) {
    algorithm = one;
    return this;
  }

  /** The size of the token bucket, or of the leaky bucket's queue. */
  public RuleBuilder burst(long permits) {
    if (permits < 1) {
      throw new RuleException(id, "burst", "of " + permits + " cannot be; write at least 1");
    }
    burst = permits;
    return this;
  }

  /** For how long a used fixed window stays open past its end. */
  public RuleBuilder coolDown(Duration duration) {
    coolDown = duration.truncatedTo(ChronoUnit.MICROS);
    return this;
  }

  public RuleBuilder consistency(Consistency one) {
    consistency = one;
    return this;
  }

  /** What is answered when the store does not. */
  public RuleBuilder onStoreFailure(StoreFailureFallback one) {
    fallback = one;
    return this;
  }

  /** The percentage of the budget each region has; all of it anywhere if none is named. */
  public RuleBuilder regions(Map<String, Integer> percents) {
    regions = Collections.unmodifiableMap(new LinkedHashMap<>(percents));
    return this;
  }

  public RuleBuilder overrides(LimitOverride... some) {
    overrides = List.of(some);
    return this;
  }

  public RuleBuilder durable(boolean yes) {
    durable = yes;
    return this;
  }

  public RuleBuilder shadow(boolean yes) {
    shadow = yes;
    return this;
  }

  public RuleBuilder enabled(boolean yes) {
    enabled = yes;
    return this;
  }

  /**
   * The rule.
   *
   * @throws RuleException naming the field, what is wrong and what to write instead
   */
  public Rule build() {
    return new Rule(new RuleBuilder(this));
  }

  RuleBuilder runWithContext(String field, Runnable step) {
    RuleException.runWithContext(id, field, step);
    return this;
  }

  List<Object> values() {
    return List.of(
        id,
        match,
        per,
        rates,
        algorithm,
        burst,
        coolDown,
        consistency,
        fallback,
        regions,
        overrides,
        durable,
        shadow,
        enabled,
        share);
  }
}
