package io.weir.admin;

import io.weir.Decision;
import io.weir.DecisionListener;
import io.weir.Request;
import io.weir.admin.traffic.RecentRequests;
import io.weir.admin.traffic.StoreLatency;
import io.weir.admin.traffic.TrafficStats;
import io.weir.internal.decision.EvaluatedDecision;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rules.RulesListener;
import io.weir.rules.database.RuleCounts;
import io.weir.store.Clock;
import io.weir.store.StoreListener;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * Records the activity of a node for the admin API: decision counts of every rule, the callers it
 * refused most in the last minutes, and events as they happen.
 *
 * <pre>{@code
 * NodeActivity activity = new NodeActivity(Clock.system());
 * rules = FileRules.open(file, activity.rulesListener());
 * store = RedisStore.at(url).listener(activity.storeListener()).open();
 * limiter = Weir.limiter(rules).store(store).listener(activity.decisionListener()).build();
 * }</pre>
 *
 * <p>Thread-safe. A decision costs a few counter increments and one entry in a bounded list; a
 * refusal costs more. No decision blocks.
 */
public final class NodeActivity {
  final long startedMicros;
  final LongAdder allowed = new LongAdder();
  final LongAdder refused = new LongAdder();
  final LongAdder degraded = new LongAdder();
  final StoreLatency latency = new StoreLatency();
  final RecentRequests recentRequests;
  final RuleStatsRegistry ruleStats;
  final EventBroadcaster events;
  private final Clock clock;
  private final DecisionListener requestRecorder;

  public NodeActivity(Clock clock) {
    this.clock = clock;
    startedMicros = clock.micros();
    ruleStats = new RuleStatsRegistry();
    events = new EventBroadcaster(clock);
    recentRequests = new RecentRequests(clock);
    requestRecorder = recentRequests.listener();
  }

  /** Returns the listener that records decisions. */
  public DecisionListener decisionListener() {
    return this::onDecision;
  }

  /** Returns the listener that records store failures and latencies. */
  public StoreListener storeListener() {
    StoreListener publisher =
        new StoreListener() {
          @Override
          public void onUnavailable(String reason) {
            events.publish("store_lost", json -> json.text("reason", reason));
          }

          @Override
          public void onRecovery(Duration away) {
            events.publish("store_found", json -> json.number("away_ms", away.toMillis()));
          }
        };
    return StoreListener.combine(publisher, latency.listener());
  }

  /** Returns the listener that records rule changes. */
  public RulesListener rulesListener() {
    return new RulesListener() {
      @Override
      public void changed(RuleSet current) {
        ruleStats.retainOnly(current);
        events.publish(
            "rules",
            json ->
                json.number("revision", current.revision())
                    .number("rules", current.rules().size()));
      }

      @Override
      public void rejected(String reason) {
        events.publish("rules_refused", json -> json.text("reason", reason));
      }
    };
  }

  private void onDecision(Request request, Decision decision) {
    (decision.allowed() ? allowed : refused).increment();
    boolean anyDegraded = false;
    for (int i = 0; i < EvaluatedDecision.of(decision).claimCount(); ) {
      int first = i;
      int refusedIndex = -1;
      boolean fallback = false;
      Rule rule = EvaluatedDecision.of(decision).claim(first).limit().rule();
      for (; i < EvaluatedDecision.of(decision).claimCount() && belongsTo(rule, decision, i); i++) {
        refusedIndex = EvaluatedDecision.of(decision).outcome(i).admitted() ? refusedIndex : i;
        fallback |= EvaluatedDecision.of(decision).outcome(i).degraded();
      }
      RuleStats stats = ruleStats.forRule(rule);
      stats.count(rule.shadow(), refusedIndex < 0, fallback);
      anyDegraded |= fallback;
      if (refusedIndex >= 0) {
        long key = EvaluatedDecision.of(decision).claim(first).key();
        ruleStats.recordRefusal(stats, clock.micros(), key, rule, request);
        events.publishRefusal(request, rule, EvaluatedDecision.of(decision).outcome(refusedIndex));
      }
    }
    if (anyDegraded) {
      degraded.increment();
      events.publishDegraded();
    }
    requestRecorder.onDecision(request, decision);
  }

  /** Returns the counts since the start of the node. */
  TrafficStats.TrafficTotals totals() {
    return new TrafficStats.TrafficTotals() {
      @Override
      public RuleCounts requests() {
        return new RuleCounts(RuleCounts.WHOLE_REQUESTS, allowed.sum(), refused.sum(), 0);
      }

      @Override
      public Map<String, RuleCounts> rules() {
        return ruleStats.counts();
      }

      @Override
      public long degraded() {
        return degraded.sum();
      }
    };
  }

  private static boolean belongsTo(Rule rule, Decision decision, int i) {
    return EvaluatedDecision.of(decision).claim(i).limit().rule().id().equals(rule.id());
  }
}
