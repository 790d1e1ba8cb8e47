package io.weir.server.admin;

import io.weir.Decision;
import io.weir.DecisionListener;
import io.weir.Request;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rules.RulesListener;
import io.weir.rules.database.Said;
import io.weir.server.traffic.Latency;
import io.weir.server.traffic.Pulse;
import io.weir.server.traffic.RecentRequests;
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
public final class Activity {
  final long since;
  final LongAdder allowed = new LongAdder();
  final LongAdder refused = new LongAdder();
  final LongAdder degraded = new LongAdder();
  final Latency latency = new Latency();
  final RecentRequests recent;
  final Tallies tallies;
  final Events events;
  private final Clock clock;
  private final DecisionListener remembering;

  public Activity(Clock clock) {
    this.clock = clock;
    since = clock.micros();
    tallies = new Tallies();
    events = new Events(clock);
    recent = new RecentRequests(clock);
    remembering = recent.listener();
  }

  /** Hears what is decided. */
  public DecisionListener decisions() {
    return this::decided;
  }

  /** Hears how the store fares. */
  public StoreListener store() {
    StoreListener news =
        new StoreListener() {
          @Override
          public void lost(String reason) {
            events.tell("store_lost", json -> json.text("reason", reason));
          }

          @Override
          public void found(Duration away) {
            events.tell("store_found", json -> json.number("away_ms", away.toMillis()));
          }
        };
    return StoreListener.both(news, latency.listener());
  }

  /** Hears of rules that change. */
  public RulesListener rules() {
    return new RulesListener() {
      @Override
      public void changed(RuleSet now) {
        tallies.keepOnly(now);
        events.tell(
            "rules",
            json -> json.number("revision", now.revision()).number("rules", now.rules().size()));
      }

      @Override
      public void rejected(String reason) {
        events.tell("rules_refused", json -> json.text("reason", reason));
      }
    };
  }

  private void decided(Request request, Decision decision) {
    (decision.allowed() ? allowed : refused).increment();
    boolean anyDegraded = false;
    for (int i = 0; i < decision.size(); ) {
      int first = i;
      int refusing = -1;
      boolean posture = false;
      Rule rule = decision.claim(first).limit().rule();
      for (; i < decision.size() && isOf(rule, decision, i); i++) {
        refusing = decision.outcome(i).fits() ? refusing : i;
        posture |= decision.outcome(i).degraded();
      }
      Tally tally = tallies.of(rule);
      tally.count(rule.shadow(), refusing < 0, posture);
      anyDegraded |= posture;
      if (refusing >= 0) {
        long key = decision.claim(first).key();
        tallies.refused(tally, clock.micros(), key, rule, request);
        events.refused(request, rule, decision.outcome(refusing));
      }
    }
    if (anyDegraded) {
      degraded.increment();
      events.degraded();
    }
    remembering.decided(request, decision);
  }

  /** What was counted so far. */
  Pulse.Counted counted() {
    return new Pulse.Counted() {
      @Override
      public Said requests() {
        return new Said(Said.REQUESTS, allowed.sum(), refused.sum(), 0);
      }

      @Override
      public Map<String, Said> rules() {
        return tallies.soFar();
      }

      @Override
      public long degraded() {
        return degraded.sum();
      }
    };
  }

  private static boolean isOf(Rule rule, Decision decision, int i) {
    return decision.claim(i).limit().rule().id().equals(rule.id());
  }
}
