package io.weir.admin.traffic;

import io.weir.Decision;
import io.weir.internal.decision.EvaluatedDecision;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ObjLongConsumer;

/** Replays recorded requests of this node under other rules. */
public final class RuleReplay {
  private RuleReplay() {}

  /**
   * What a rule would have decided.
   *
   * @param matched the number of requests the rule matches
   * @param refused the number of those it would have refused
   * @param refusedIndexes the indexes of the refused requests in the replayed list
   */
  public record ReplayResult(long matched, long refused, List<Integer> refusedIndexes) {}

  /** Replays requests under these rules and returns the result of one of them. */
  public static ReplayResult run(List<PastRequest> requests, RuleSet rules, String ruleId) {
    long matched = 0;
    long refused = 0;
    List<Integer> refusedIndexes = new ArrayList<>();
    try (ReplayLimiter limiter = new ReplayLimiter(rules)) {
      for (int i = 0; i < requests.size(); i++) {
        PastRequest request = requests.get(i);
        ReplayOutcome outcome =
            outcomeOf(limiter.decideAt(request.time(), request.request()), ruleId);
        matched += outcome == ReplayOutcome.NOT_MATCHED ? 0 : request.weight();
        if (outcome == ReplayOutcome.REFUSED) {
          refused += request.weight();
          refusedIndexes.add(i);
        }
      }
    }
    return new ReplayResult(matched, refused, refusedIndexes);
  }

  /** Returns the rules with the candidate added or replaced, enabled and enforced. */
  public static RuleSet withRule(RuleSet rules, Rule candidate) {
    Rule enforced = candidate.edit().enabled(true).shadow(false).build();
    List<Rule> all = new ArrayList<>();
    boolean replaced = false;
    for (Rule rule : rules.rules()) {
      boolean same = rule.id().equals(candidate.id());
      all.add(same ? enforced : rule);
      replaced |= same;
    }
    if (!replaced) {
      all.add(enforced);
    }
    return RuleSet.of(rules.revision(), all);
  }

  /** Passes the callers a rule would have refused to the consumer, most refused first. */
  public static void forEachTopCaller(
      List<PastRequest> requests,
      ReplayResult verdict,
      Rule rule,
      int limit,
      ObjLongConsumer<PastRequest> consumer) {
    Map<List<String>, Long> counts = new HashMap<>();
    Map<List<String>, PastRequest> examples = new HashMap<>();
    for (int i : verdict.refusedIndexes()) {
      PastRequest request = requests.get(i);
      List<String> caller =
          rule.per().stream().map(name -> String.valueOf(request.request().get(name))).toList();
      counts.merge(caller, (long) request.weight(), Long::sum);
      examples.putIfAbsent(caller, request);
    }
    counts.entrySet().stream()
        .sorted(Map.Entry.<List<String>, Long>comparingByValue().reversed())
        .limit(limit)
        .forEach(
            caller -> {
              PastRequest example = examples.get(caller.getKey());
              if (example != null) {
                consumer.accept(example, caller.getValue());
              }
            });
  }

  private enum ReplayOutcome {
    NOT_MATCHED,
    ALLOWED,
    REFUSED
  }

  private static ReplayOutcome outcomeOf(Decision decision, String ruleId) {
    ReplayOutcome outcome = ReplayOutcome.NOT_MATCHED;
    for (int i = 0;
        i < EvaluatedDecision.of(decision).claimCount() && outcome != ReplayOutcome.REFUSED;
        i++) {
      if (EvaluatedDecision.of(decision).claim(i).limit().rule().id().equals(ruleId)) {
        outcome =
            EvaluatedDecision.of(decision).outcome(i).admitted()
                ? ReplayOutcome.ALLOWED
                : ReplayOutcome.REFUSED;
      }
    }
    return outcome;
  }
}
