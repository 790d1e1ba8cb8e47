package io.weir.server.admin;

import io.weir.Decision;
import io.weir.DecisionListener;
import io.weir.Request;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rules.RulesListener;
import io.weir.rules.database.RuleCounts;
import io.weir.server.traffic.RecentRequests;
import io.weir.server.traffic.StoreLatency;
import io.weir.server.traffic.TrafficStats;
import io.weir.store.Clock;
import io.weir.store.StoreListener;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * What happens on a node, for those who look at it: what every rule said so far, whom it refused
 * most of late, and news as they come.
 *
 * <pre>{@code
 * Activity activity = new Activity(Clock.system());
 * rules = FileRules.open(file, activity.rules());
 * store = RedisStore.at(url).listener(activity.store()).open();
 * limiter = Weir.limiter(rules).store(store).listener(activity.decisions()).build();
 * }</pre>
 *
 * <p>Safe for any number of threads. A decision costs a few additions and a place in a bounded
 * list; only a refusal costs more, and none waits.
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

  /** Hears what is decided. */
  public DecisionListener decisionListener() {
    return this::onDecision;
  }

  /** Hears how the store fares. */
  public StoreListener storeListener() {
    StoreListener news =
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
    return StoreListener.combine(news, latency.listener());
  }

  /** Hears of rules that change. */
  public RulesListener rulesListener() {
    return new RulesListener() {
      @Override
      public void changed(RuleSet now) {
        ruleStats.retainOnly(now);
        events.publish(
            "rules",
            json -> json.number("revision", now.revision()).number("rules", now.rules().size()));
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
    for (int i = 0; i < decision.claimCount(); ) {
      int first = i;
      int refusing = -1;
      boolean posture = false;
      Rule rule = decision.claim(first).limit().rule();
      for (; i < decision.claimCount() && belongsTo(rule, decision, i); i++) {
        refusing = decision.outcome(i).admitted() ? refusing : i;
        posture |= decision.outcome(i).degraded();
      }
      RuleStats tally = ruleStats.forRule(rule);
      tally.count(rule.shadow(), refusing < 0, posture);
      anyDegraded |= posture;
      if (refusing >= 0) {
        long key = decision.claim(first).key();
        ruleStats.recordRefusal(tally, clock.micros(), key, rule, request);
        events.publishRefusal(request, rule, decision.outcome(refusing));
      }
    }
    if (anyDegraded) {
      degraded.increment();
      events.publishDegraded();
    }
    requestRecorder.onDecision(request, decision);
  }

  /** What was counted so far. */
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
    return decision.claim(i).limit().rule().id().equals(rule.id());
  }
}
