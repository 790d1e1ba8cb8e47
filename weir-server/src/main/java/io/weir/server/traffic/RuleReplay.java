package io.weir.server.traffic;

import io.weir.Decision;
import io.weir.Limiter;
import io.weir.Weir;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.store.Clock;
import io.weir.store.MemoryStore;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ObjLongConsumer;

/**
 * Has requests that came decided once more, under other rules, by the limiter itself and a clock
 * that shows the time they came at.
 *
 * <p>Counters begin fresh and count in memory, whatever the store of the node holds.
 */
public final class RuleReplay {
  private static final long STORE_BYTES = 64L << 20;

  private RuleReplay() {}

  /**
   * What a rule would have said.
   *
   * @param matched how many requests it would have met
   * @param refused how many of these it would have refused
   * @param refusedIndexes each request it would have refused, by its place among those played
   */
  public record ReplayResult(long matched, long refused, List<Integer> refusedIndexes) {}

  /** Plays requests under rules, one of which is looked at. */
  public static ReplayResult run(List<PastRequest> requests, RuleSet rules, String watched) {
    ReplayClock clock = new ReplayClock();
    MemoryStore store = new MemoryStore(clock, STORE_BYTES);
    long met = 0;
    long refused = 0;
    List<Integer> refusals = new ArrayList<>();
    try (Limiter limiter = Weir.limiter(rules).store(store).clock(clock).build()) {
      for (int i = 0; i < requests.size(); i++) {
        PastRequest one = requests.get(i);
        clock.micros = one.time();
        ReplayOutcome said = outcomeOf(limiter.decideNow(one.request()), watched);
        met += said == ReplayOutcome.NOT_MATCHED ? 0 : one.weight();
        if (said == ReplayOutcome.REFUSED) {
          refused += one.weight();
          refusals.add(i);
        }
      }
    }
    return new ReplayResult(met, refused, refusals);
  }

  /** What these rules are with one more, or one replaced, that is in force. */
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

  /** The callers a rule would have refused, the most refused first. */
  public static void forEachTopCaller(
      List<PastRequest> requests,
      ReplayResult verdict,
      Rule rule,
      int most,
      ObjLongConsumer<PastRequest> each) {
    Map<List<String>, Long> counts = new HashMap<>();
    Map<List<String>, PastRequest> examples = new HashMap<>();
    for (int i : verdict.refusedIndexes()) {
      PastRequest one = requests.get(i);
      List<String> caller =
          rule.per().stream().map(name -> String.valueOf(one.request().get(name))).toList();
      counts.merge(caller, (long) one.weight(), Long::sum);
      examples.putIfAbsent(caller, one);
    }
    counts.entrySet().stream()
        .sorted(Map.Entry.<List<String>, Long>comparingByValue().reversed())
        .limit(most)
        .forEach(
            caller -> {
              PastRequest example = examples.get(caller.getKey());
              if (example != null) {
                each.accept(example, caller.getValue());
              }
            });
  }

  private enum ReplayOutcome {
    NOT_MATCHED,
    ALLOWED,
    REFUSED
  }

  private static ReplayOutcome outcomeOf(Decision decision, String watched) {
    ReplayOutcome said = ReplayOutcome.NOT_MATCHED;
    for (int i = 0; i < decision.claimCount() && said != ReplayOutcome.REFUSED; i++) {
      if (decision.claim(i).limit().rule().id().equals(watched)) {
        said = decision.outcome(i).admitted() ? ReplayOutcome.ALLOWED : ReplayOutcome.REFUSED;
      }
    }
    return said;
  }

  /** Shows the time of the request that is played. */
  private static final class ReplayClock implements Clock {
    private volatile long micros;

    @Override
    public long micros() {
      return micros;
    }
  }
}
