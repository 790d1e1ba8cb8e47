package io.weir.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The counters of the rules in force, for so many rules at most; further ones share those of
 * {@value #OTHER}. A rule that is deleted keeps its counters for a while, so that its last
 * decisions are seen, unless another needs the room.
 *
 * <p>Safe for any number of threads; {@link #of} is a mere lookup.
 */
final class MeteredRules {
  static final String OTHER = "other";
  private static final long LINGER = 15L * 60 * 1_000_000;

  private final MeterRegistry registry;
  private final int most;
  private final Map<String, RuleMeters> byId = new ConcurrentHashMap<>();
  private final Map<String, Gone> gone = new HashMap<>();
  private volatile @Nullable RuleMeters other;

  MeteredRules(MeterRegistry registry, int most) {
    this.registry = registry;
    this.most = most;
  }

  RuleMeters of(Rule rule) {
    RuleMeters known = byId.get(rule.id());
    if (known != null) {
      return known;
    }
    RuleMeters shared = other;
    return shared != null ? shared : admit(rule);
  }

  /**
   * Has counters for the rules in force, and none for those that have long not been.
   *
   * @param nodes how many share the store
   */
  synchronized void follow(RuleSet rules, int nodes, long now) {
    gone.keySet().removeIf(id -> rules.rule(id) != null);
    byId.forEach(
        (id, meters) -> {
          Gone known = gone.get(id);
          boolean silent = known != null && known.counted == meters.counted();
          if (rules.rule(id) == null && !id.equals(OTHER) && !silent) {
            gone.put(id, new Gone(now, meters.counted()));
          }
        });
    boolean crowded = rules.rules().size() + gone.size() > most;
    gone.entrySet().removeIf(e -> e.getValue().hasLeft(now, crowded) && forget(e.getKey()));
    for (Rule rule : rules.rules()) {
      if (rule.enabled()) {
        admit(rule).overshoot(rule, nodes);
      }
    }
  }

  private boolean forget(String id) {
    RuleMeters meters = byId.remove(id);
    if (meters != null) {
      meters.remove();
    }
    return true;
  }

  private synchronized RuleMeters admit(Rule rule) {
    RuleMeters meters = byId.get(rule.id());
    if (meters == null && byId.size() < most) {
      meters = new RuleMeters(registry, rule.id());
      byId.put(rule.id(), meters);
    }
    if (meters == null) {
      meters = other;
      if (meters == null) {
        meters = new RuleMeters(registry, OTHER);
        other = meters;
      }
    }
    var unused = meters.degraded(rule.posture().answer());
    return meters;
  }

  /**
   * A rule that is not in force, though the last requests it met may still be decided.
   *
   * @param since when it last counted, as far as is known
   * @param counted how much it had counted then
   */
  private record Gone(long since, double counted) {

    boolean hasLeft(long now, boolean crowded) {
      return now - since >= LINGER || (crowded && now > since);
    }
  }
}
