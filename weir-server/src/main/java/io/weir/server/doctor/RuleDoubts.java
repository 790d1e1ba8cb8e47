package io.weir.server.doctor;

import io.weir.algorithm.Algorithms;
import io.weir.algorithm.Terms;
import io.weir.rule.Consistency;
import io.weir.rule.Limit;
import io.weir.rule.LimitOverride;
import io.weir.rule.Posture;
import io.weir.rule.Rate;
import io.weir.rule.Rule;
import io.weir.rule.Selector;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Finds rules that can be but are hardly meant; only what is certain from the rules alone. */
public final class RuleDoubts {
  private static final long MANY_TIMES = 1000;
  private static final int PARTS_OF_A_FILL = 4;

  /** Each is held against all before it. */
  private static final int MOST_OVERRIDES = 1000;

  private RuleDoubts() {}

  /**
   * One rule that is hardly meant.
   *
   * @param text what is doubtful
   * @param help what to write instead
   */
  public record Doubt(String rule, String text, String help) {
    @Override
    public String toString() {
      return rule + ": " + text + "; " + help;
    }
  }

  /** All doubts, in the order of the rules. */
  public static List<Doubt> of(List<Rule> rules) {
    Map<Counting, List<Rule>> enforced = enforced(rules);
    List<Doubt> doubts = new ArrayList<>();
    for (Rule rule : rules) {
      List<Rule> alike = enforced.getOrDefault(Counting.of(rule), List.of());
      Stream.of(
              closed(rule),
              log(rule),
              durable(rule),
              seldom(rule),
              override(rule),
              idle(rule, alike))
          .flatMap(Optional::stream)
          .filter(doubt -> rule.enabled())
          .forEach(doubts::add);
    }
    return doubts;
  }

  private static Optional<Doubt> closed(Rule rule) {
    boolean everyone = rule.match().patterns().isEmpty();
    boolean closed = rule.posture().answer() == Posture.Answer.CLOSED;
    return when(
        everyone && closed && !rule.shadow(),
        new Doubt(
            rule.id(),
            "refuses everyone while the store is silent",
            "write match, or on-store-failure: local"));
  }

  private static Optional<Doubt> log(Rule rule) {
    long most =
        Stream.concat(
                rule.rates().stream(), rule.overrides().stream().flatMap(o -> o.rates().stream()))
            .mapToLong(Rate::permits)
            .max()
            .orElse(0);
    return when(
        rule.algorithm() == Algorithms.SLIDING_LOG && most >= MANY_TIMES,
        new Doubt(
            rule.id(),
            "remembers up to " + most + " charges of every caller",
            "write algorithm: sliding-counter"));
  }

  private static Optional<Doubt> durable(Rule rule) {
    return when(
        rule.durable() && rule.consistency().kind() == Consistency.Kind.LOCAL,
        new Doubt(
            rule.id(), "is durable, but counts in each node's memory", "write consistency: exact"));
  }

  /** What was spread over an interval reaches a bucket at once, and may be too much for it. */
  private static Optional<Doubt> seldom(Rule rule) {
    Duration every = rule.consistency().syncEvery();
    Duration fills =
        rule.limits().stream().map(RuleDoubts::fills).min(Duration::compareTo).orElseThrow();
    Duration better = fills.dividedBy(PARTS_OF_A_FILL);
    return when(
        rule.algorithm().bursts() && every.compareTo(better) > 0,
        new Doubt(
            rule.id(),
            "refuses some who have room, since a bucket that fills in %d ms hears every %d ms"
                .formatted(fills.toMillis(), every.toMillis()),
            "write sync-every: %dms or less, or consistency: leased"
                .formatted(Math.max(1, better.toMillis()))));
  }

  private static Duration fills(Limit limit) {
    Terms t = limit.terms();
    return Duration.of(
        (long) ((double) limit.most() * t.period() / t.permits()), ChronoUnit.MICROS);
  }

  /** The first override that another before it leaves nobody to. */
  private static Optional<Doubt> override(Rule rule) {
    List<LimitOverride> all = rule.overrides();
    for (int i = 1; i < Math.min(all.size(), MOST_OVERRIDES); i++) {
      for (int k = 0; k < i; k++) {
        if (covers(all.get(k).when(), all.get(i).when())) {
          return Optional.of(
              new Doubt(
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
        && Selector.of(Map.of(patterns.getKey(), patterns.getValue())).meets(name -> other);
  }

  /** What two rules have in common if they count the same requests the same way. */
  private record Counting(
      Selector match,
      List<String> per,
      String algorithm,
      Duration coolDown,
      Consistency consistency,
      Posture posture,
      Map<String, Integer> regions) {

    static Counting of(Rule rule) {
      return new Counting(
          rule.match(),
          rule.per(),
          rule.algorithm().name(),
          rule.coolDown(),
          rule.consistency(),
          rule.posture(),
          rule.regions());
    }
  }

  /** The rules beside which a rule may never bind, by how they count. */
  private static Map<Counting, List<Rule>> enforced(List<Rule> rules) {
    return rules.stream()
        .filter(rule -> rule.enabled() && !rule.shadow() && rule.overrides().isEmpty())
        .collect(Collectors.groupingBy(Counting::of));
  }

  /** Whether one of these always refuses first; of two that say the same, the later is idle. */
  private static Optional<Doubt> idle(Rule rule, List<Rule> alike) {
    int here = alike.indexOf(rule);
    for (int i = 0; i < alike.size() && here >= 0; i++) {
      Rule other = alike.get(i);
      if (i != here && isWithin(other, rule) && (i < here || !isWithin(rule, other))) {
        return Optional.of(
            new Doubt(
                rule.id(),
                "never binds, since %s counts the same and allows no more".formatted(other.id()),
                "delete one of them"));
      }
    }
    return Optional.empty();
  }

  /** Whether a rule never admits what the other refuses. */
  private static boolean isWithin(Rule rule, Rule other) {
    return other.rates().stream()
        .allMatch(
            loose ->
                rule.rates().stream()
                    .anyMatch(
                        tight ->
                            tight.period().equals(loose.period())
                                && tight.permits() <= loose.permits()
                                && size(rule, tight) <= size(other, loose)));
  }

  private static long size(Rule rule, Rate rate) {
    return rule.burst() == 0 ? rate.permits() : rule.burst();
  }

  private static Optional<Doubt> when(boolean doubtful, Doubt doubt) {
    return doubtful ? Optional.of(doubt) : Optional.empty();
  }
}
