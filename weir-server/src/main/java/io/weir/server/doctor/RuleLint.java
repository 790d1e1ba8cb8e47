package io.weir.server.doctor;

import io.weir.algorithm.Algorithms;
import io.weir.algorithm.LimitParameters;
import io.weir.rule.Consistency;
import io.weir.rule.Limit;
import io.weir.rule.LimitOverride;
import io.weir.rule.Rate;
import io.weir.rule.Rule;
import io.weir.rule.Selector;
import io.weir.rule.StoreFailureFallback;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Finds rules that can be but are hardly meant; only what is certain from the rules alone. */
public final class RuleLint {
  private static final long MAX_SLIDING_LOG_PERMITS = 1000;
  private static final int MIN_SYNCS_PER_FILL = 4;

  /** Each is held against all before it. */
  private static final int MAX_COMPARED_OVERRIDES = 1000;

  private RuleLint() {}

  /**
   * One rule that is hardly meant.
   *
   * @param text what is doubtful
   * @param help what to write instead
   */
  public record LintWarning(String rule, String text, String help) {
    @Override
    public String toString() {
      return rule + ": " + text + "; " + help;
    }
  }

  /** All doubts, in the order of the rules. */
  public static List<LintWarning> check(List<Rule> rules) {
    Map<CountingKey, List<Rule>> enforced = enforcedRules(rules);
    List<LintWarning> doubts = new ArrayList<>();
    for (Rule rule : rules) {
      List<Rule> alike = enforced.getOrDefault(CountingKey.of(rule), List.of());
      Stream.of(
              failsClosedForEveryone(rule),
              largeSlidingLog(rule),
              durableInLocalMemory(rule),
              syncsTooRarely(rule),
              unreachableOverride(rule),
              redundantRule(rule, alike))
          .flatMap(Optional::stream)
          .filter(doubt -> rule.enabled())
          .forEach(doubts::add);
    }
    return doubts;
  }

  private static Optional<LintWarning> failsClosedForEveryone(Rule rule) {
    boolean everyone = rule.match().patterns().isEmpty();
    boolean closed = rule.fallback().action() == StoreFailureFallback.FallbackAction.CLOSED;
    return warningIf(
        everyone && closed && !rule.shadow(),
        new LintWarning(
            rule.id(),
            "refuses everyone while the store is silent",
            "write match, or on-store-failure: local"));
  }

  private static Optional<LintWarning> largeSlidingLog(Rule rule) {
    long most =
        Stream.concat(
                rule.rates().stream(), rule.overrides().stream().flatMap(o -> o.rates().stream()))
            .mapToLong(Rate::permits)
            .max()
            .orElse(0);
    return warningIf(
        rule.algorithm() == Algorithms.SLIDING_LOG && most >= MAX_SLIDING_LOG_PERMITS,
        new LintWarning(
            rule.id(),
            "remembers up to " + most + " charges of every caller",
            "write algorithm: sliding-counter"));
  }

  private static Optional<LintWarning> durableInLocalMemory(Rule rule) {
    return warningIf(
        rule.durable() && rule.consistency().mode() == Consistency.CountingMode.LOCAL,
        new LintWarning(
            rule.id(), "is durable, but counts in each node's memory", "write consistency: exact"));
  }

  /** What was spread over an interval reaches a bucket at once, and may be too much for it. */
  private static Optional<LintWarning> syncsTooRarely(Rule rule) {
    Duration every = rule.consistency().syncInterval();
    Duration fills =
        rule.limits().stream().map(RuleLint::fillTime).min(Duration::compareTo).orElseThrow();
    Duration better = fills.dividedBy(MIN_SYNCS_PER_FILL);
    return warningIf(
        rule.algorithm().hasBurst() && every.compareTo(better) > 0,
        new LintWarning(
            rule.id(),
            "refuses some who have room, since a bucket that fills in %d ms hears every %d ms"
                .formatted(fills.toMillis(), every.toMillis()),
            "write sync-every: %dms or less, or consistency: leased"
                .formatted(Math.max(1, better.toMillis()))));
  }

  private static Duration fillTime(Limit limit) {
    LimitParameters t = limit.parameters();
    return Duration.of(
        (long) ((double) limit.capacity() * t.periodMicros() / t.permits()), ChronoUnit.MICROS);
  }

  /** The first override that another before it leaves nobody to. */
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

  /** Whether all whom the second meets are surely met by the first. */
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

  /** What two rules have in common if they count the same requests the same way. */
  private record CountingKey(
      Selector match,
      List<String> per,
      String algorithm,
      Duration coolDown,
      Consistency consistency,
      StoreFailureFallback posture,
      Map<String, Integer> regions) {

    static CountingKey of(Rule rule) {
      return new CountingKey(
          rule.match(),
          rule.per(),
          rule.algorithm().name(),
          rule.coolDown(),
          rule.consistency(),
          rule.fallback(),
          rule.regions());
    }
  }

  /** The rules beside which a rule may never bind, by how they count. */
  private static Map<CountingKey, List<Rule>> enforcedRules(List<Rule> rules) {
    return rules.stream()
        .filter(rule -> rule.enabled() && !rule.shadow() && rule.overrides().isEmpty())
        .collect(Collectors.groupingBy(CountingKey::of));
  }

  /** Whether one of these always refuses first; of two that say the same, the later is idle. */
  private static Optional<LintWarning> redundantRule(Rule rule, List<Rule> alike) {
    int here = alike.indexOf(rule);
    for (int i = 0; i < alike.size() && here >= 0; i++) {
      Rule other = alike.get(i);
      if (i != here
          && isAtLeastAsStrict(other, rule)
          && (i < here || !isAtLeastAsStrict(rule, other))) {
        return Optional.of(
            new LintWarning(
                rule.id(),
                "never binds, since %s counts the same and allows no more".formatted(other.id()),
                "delete one of them"));
      }
    }
    return Optional.empty();
  }

  /** Whether a rule never admits what the other refuses. */
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

  private static Optional<LintWarning> warningIf(boolean doubtful, LintWarning doubt) {
    return doubtful ? Optional.of(doubt) : Optional.empty();
  }
}
