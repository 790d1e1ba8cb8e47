package io.weir.server.admin;

import io.weir.Decision;
import io.weir.DecisionListener;
import io.weir.Request;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rules.RulesListener;
import io.weir.store.Clock;
import io.weir.store.StoreListener;
import java.time.Duration;
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
 * <p>Safe for any number of threads. A decision costs a few additions; only a refusal costs more,
 * and none waits.
 */
public final class Activity {
  final long since;
  final LongAdder allowed = new LongAdder();
  final LongAdder refused = new LongAdder();
  final Tallies tallies;
  final Events events;
  private final Clock clock;

  public Activity(Clock clock) {
    this.clock = clock;
    since = clock.micros();
    tallies = new Tallies();
    events = new Events(clock);
  }

  /** Hears what is decided. */
  public DecisionListener decisions() {
    return this::decided;
  }

  /** Hears how the store fares. */
  public StoreListener store() {
    return new StoreListener() {
      @Override
      public void lost(String reason) {
        events.tell("store_lost", json -> json.text("reason", reason));
      }

      @Override
      public void found(Duration away) {
        events.tell("store_found", json -> json.number("away_ms", away.toMillis()));
      }
    };
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
    boolean degraded = false;
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
      degraded |= posture;
      if (refusing >= 0) {
        long key = decision.claim(first).key();
        tallies.refused(tally, clock.micros(), key, rule, request);
        events.refused(request, rule, decision.outcome(refusing));
      }
    }
    if (degraded) {
      events.degraded();
    }
  }

  private static boolean isOf(Rule rule, Decision decision, int i) {
    return decision.claim(i).limit().rule().id().equals(rule.id());
  }
}
