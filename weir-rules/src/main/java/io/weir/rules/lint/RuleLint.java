package io.weir.rules.lint;

import io.weir.internal.algorithm.Algorithms;
import io.weir.internal.algorithm.LimitParameters;
import io.weir.internal.algorithm.WindowModel;
import io.weir.internal.rule.CompiledRule;
import io.weir.internal.rule.Limit;
import io.weir.rule.Consistency;
import io.weir.rule.LimitOverride;
import io.weir.rule.MissingAttributePolicy;
import io.weir.rule.Rate;
import io.weir.rule.Rule;
import io.weir.rule.RuleAction;
import io.weir.rule.Selector;
import io.weir.rule.StoreFailureFallback;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Finds rules that are valid but hardly intended. Reports only what is certain from the rules
 * alone.
 */
public final class RuleLint {
  private static final long MAX_SLIDING_LOG_PERMITS = 1000;
  private static final int MIN_SYNCS_PER_FILL = 4;

  /** Bounds the work: each override is compared with all before it. */
  private static final int MAX_COMPARED_OVERRIDES = 1000;

  private RuleLint() {}

  /**
   * A warning about one rule.
   *
   * @param text the problem
   * @param help the remedy
   */
  public record LintWarning(String rule, String text, String help) {
    @Override
    public String toString() {
      return rule + ": " + text + "; " + help;
    }
  }

  /** Returns all warnings, in the order of the rules. */
  public static List<LintWarning> check(List<Rule> rules) {
    Map<CountingKey, List<Rule>> enforced = enforcedRules(rules);
    List<LintWarning> warnings = new ArrayList<>();
    for (Rule rule : rules) {
      List<Rule> sameKey = enforced.getOrDefault(CountingKey.of(rule), List.of());
      Stream.of(
              failsClosedForEveryone(rule),
              largeSlidingLog(rule),
              durableInLocalMemory(rule),
              syncsTooRarely(rule),
              unreachableOverride(rule),
              redundantRule(rule, sameKey))
          .flatMap(Optional::stream)
          .filter(warning -> rule.enabled())
          .forEach(warnings::add);
      if (rule.enabled()) {
        warnings.addAll(SelectorLint.check(rule));
      }
    }
    return warnings;
  }

  /**
   * As {@link #check(List)}, for a node whose endpoints report only these header fields.
   *
   * @param headers the names of the header fields that become attributes
   */
  public static List<LintWarning> check(List<Rule> rules, Collection<String> headers) {
    List<LintWarning> warnings = new ArrayList<>(check(rules));
    rules.stream()
        .filter(Rule::enabled)
        .forEach(rule -> warnings.addAll(SelectorLint.checkHeaders(rule, headers)));
    return warnings;
  }

  private static Optional<LintWarning> failsClosedForEveryone(Rule rule) {
    boolean everyone = rule.match().patterns().isEmpty();
    boolean failsClosed = rule.fallback().action() == StoreFailureFallback.FallbackAction.CLOSED;
    return warningIf(
        everyone && failsClosed && !rule.shadow(),
        new LintWarning(
            rule.id(),
            "refuses everyone while the store is unavailable",
            "add match, or use on-store-failure: local"));
  }

  private static Optional<LintWarning> largeSlidingLog(Rule rule) {
    long maxPermits =
        Stream.concat(
                rule.rates().stream(), rule.overrides().stream().flatMap(o -> o.rates().stream()))
            .mapToLong(Rate::permits)
            .max()
            .orElse(0);
    return warningIf(
        rule.algorithm().equals(Algorithms.SLIDING_LOG.name())
            && maxPermits >= MAX_SLIDING_LOG_PERMITS,
        new LintWarning(
            rule.id(),
            "stores up to " + maxPermits + " charges per caller",
            "use algorithm: sliding-counter"));
  }

  private static Optional<LintWarning> durableInLocalMemory(Rule rule) {
    return warningIf(
        rule.durable() && rule.consistency().mode() == Consistency.CountingMode.LOCAL,
        new LintWarning(
            rule.id(),
            "is durable, but counts in the memory of each node",
            "use consistency: exact"));
  }

  /** A sync charges the requests of a whole interval at once, which may overfill a bucket. */
  private static Optional<LintWarning> syncsTooRarely(Rule rule) {
    Duration every = rule.consistency().syncInterval();
    Duration fills =
        CompiledRule.of(rule).limits().stream()
            .map(RuleLint::fillTime)
            .min(Duration::compareTo)
            .orElseThrow();
    Duration better = fills.dividedBy(MIN_SYNCS_PER_FILL);
    return warningIf(
        Algorithms.named(rule.algorithm()).windowModel() == WindowModel.CONTINUOUS
            && every.compareTo(better) > 0,
        new LintWarning(
            rule.id(),
            "refuses some requests within the limit, since a bucket that fills in %d ms syncs every %d ms"
                .formatted(fills.toMillis(), every.toMillis()),
            "use sync-every: %dms or less, or consistency: leased"
                .formatted(Math.max(1, better.toMillis()))));
  }

  private static Duration fillTime(Limit limit) {
    LimitParameters t = limit.parameters();
    return Duration.of(
        (long) ((double) limit.capacity() * t.periodMicros() / t.permits()), ChronoUnit.MICROS);
  }

  /** Returns a warning for the first override that an earlier override always precedes. */
  private static Optional<LintWarning> unreachableOverride(Rule rule) {
    List<LimitOverride> all = rule.overrides();
    for (int i = 1; i < Math.min(all.size(), MAX_COMPARED_OVERRIDES); i++) {
      for (int k = 0; k < i; k++) {
        if (covers(all.get(k).when(), all.get(i).when())) {
          return Optional.of(
              new LintWarning(
                  rule.id(),
                  "its override for %s never applies, since the one for %s comes first"
                      .formatted(all.get(i).when(), all.get(k).when()),
                  "move it up"));
        }
      }
    }
    return Optional.empty();
  }

  /** Returns whether the first selector certainly matches all that the second matches. */
  private static boolean covers(Selector first, Selector second) {
    return first.patterns().entrySet().stream()
        .allMatch(
            pattern -> {
              List<String> others = second.patterns().getOrDefault(pattern.getKey(), List.of());
              return !others.isEmpty() && others.stream().allMatch(other -> covers(pattern, other));
            });
  }

  private static boolean covers(Map.Entry<String, List<String>> patterns, String other) {
    if (patterns.getValue().contains(other)) {
      return true;
    }
    return !other.contains("*")
        && Selector.of(Map.of(patterns.getKey(), patterns.getValue())).matches(name -> other);
  }

  /** What two rules have in common if they count the same requests in the same way. */
  private record CountingKey(
      RuleAction action,
      Selector match,
      List<String> per,
      MissingAttributePolicy missing,
      String algorithm,
      Duration coolDown,
      Consistency consistency,
      StoreFailureFallback posture,
      Map<String, Integer> regions) {

    static CountingKey of(Rule rule) {
      return new CountingKey(
          rule.action(),
          rule.match(),
          rule.per(),
          rule.missing(),
          rule.algorithm(),
          rule.coolDown(),
          rule.consistency(),
          rule.fallback(),
          rule.regions());
    }
  }

  /** Returns the enforced rules that may make another redundant, by how they count. */
  private static Map<CountingKey, List<Rule>> enforcedRules(List<Rule> rules) {
    return rules.stream()
        .filter(rule -> rule.enabled() && !rule.shadow() && rule.overrides().isEmpty())
        .collect(Collectors.groupingBy(CountingKey::of));
  }

  /** Warns if another rule always refuses first; of two equal rules, the later is redundant. */
  private static Optional<LintWarning> redundantRule(Rule rule, List<Rule> sameKey) {
    int index = sameKey.indexOf(rule);
    for (int i = 0; i < sameKey.size() && index >= 0; i++) {
      Rule other = sameKey.get(i);
      if (i != index
          && isAtLeastAsStrict(other, rule)
          && (i < index || !isAtLeastAsStrict(rule, other))) {
        return Optional.of(
            new LintWarning(
                rule.id(),
                "has no effect, since %s counts the same requests and allows no more"
                    .formatted(other.id()),
                "delete one of them"));
      }
    }
    return Optional.empty();
  }

  /** Returns whether a rule never admits what the other refuses. */
  private static boolean isAtLeastAsStrict(Rule rule, Rule other) {
    return other.rates().stream()
        .allMatch(
            loose ->
                rule.rates().stream()
                    .anyMatch(
                        tight ->
                            tight.period().equals(loose.period())
                                && tight.permits() <= loose.permits()
                                && burstSize(rule, tight) <= burstSize(other, loose)));
  }

  private static long burstSize(Rule rule, Rate rate) {
    return rule.burst() == 0 ? rate.permits() : rule.burst();
  }

  private static Optional<LintWarning> warningIf(boolean condition, LintWarning warning) {
    return condition ? Optional.of(warning) : Optional.empty();
  }
}
