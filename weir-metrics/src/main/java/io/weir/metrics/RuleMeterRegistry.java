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
 * {@value #OTHER_RULES}. A rule that is deleted keeps its counters for a while, so that its last
 * decisions are seen, unless another needs the room.
 *
 * <p>Safe for any number of threads; {@link #metersOf} is a mere lookup.
 */
final class RuleMeterRegistry {
  static final String OTHER_RULES = "other";
  private static final long RETENTION_MICROS = 15L * 60 * 1_000_000;

  private final MeterRegistry registry;
  private final int maxRules;
  private final Map<String, RuleMeters> byId = new ConcurrentHashMap<>();
  private final Map<String, RetiredRule> retired = new HashMap<>();
  private volatile @Nullable RuleMeters otherMeters;

  RuleMeterRegistry(MeterRegistry registry, int most) {
    this.registry = registry;
    this.maxRules = most;
  }

  RuleMeters metersOf(Rule rule) {
    RuleMeters known = byId.get(rule.id());
    if (known != null) {
      return known;
    }
    RuleMeters shared = otherMeters;
    return shared != null ? shared : register(rule);
  }

  /**
   * Has counters for the rules in force, and none for those that have long not been.
   *
   * @param nodes how many share the store
   */
  synchronized void update(RuleSet rules, int nodes, long now) {
    retired.keySet().removeIf(id -> rules.rule(id) != null);
    byId.forEach(
        (id, meters) -> {
          RetiredRule known = retired.get(id);
          boolean silent = known != null && known.totalCount == meters.totalCount();
          if (rules.rule(id) == null && !id.equals(OTHER_RULES) && !silent) {
            retired.put(id, new RetiredRule(now, meters.totalCount()));
          }
        });
    boolean crowded = rules.rules().size() + retired.size() > maxRules;
    retired
        .entrySet()
        .removeIf(e -> e.getValue().isExpired(now, crowded) && removeMeters(e.getKey()));
    for (Rule rule : rules.rules()) {
      if (rule.enabled()) {
        register(rule).updateOvershoot(rule, nodes);
      }
    }
  }

  private boolean removeMeters(String id) {
    RuleMeters meters = byId.remove(id);
    if (meters != null) {
      meters.remove();
    }
    return true;
  }

  private synchronized RuleMeters register(Rule rule) {
    RuleMeters meters = byId.get(rule.id());
    if (meters == null && byId.size() < maxRules) {
      meters = new RuleMeters(registry, rule.id());
      byId.put(rule.id(), meters);
    }
    if (meters == null) {
      meters = otherMeters;
      if (meters == null) {
        meters = new RuleMeters(registry, OTHER_RULES);
        otherMeters = meters;
      }
    }
    var unused = meters.degradedCounter(rule.fallback().action());
    return meters;
  }

  /**
   * A rule that is not in force, though the last requests it met may still be decided.
   *
   * @param lastCountedMicros when it last counted, as far as is known
   * @param totalCount how much it had counted then
   */
  private record RetiredRule(long lastCountedMicros, double totalCount) {

    boolean isExpired(long now, boolean crowded) {
      return now - lastCountedMicros >= RETENTION_MICROS || (crowded && now > lastCountedMicros);
    }
  }
}
