package io.weir.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.weir.rule.MissingAttributePolicy;
import io.weir.rule.Rule;
import io.weir.rule.RuleAction;
import io.weir.rule.RuleSet;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The meters of the active rules, up to a maximum number of rules; further rules share the meters
 * of {@value #OTHER_RULES}. A deleted rule keeps its meters for 15 minutes, so that its last
 * decisions are scraped, unless the maximum is reached.
 *
 * <p>Thread-safe; {@link #metersOf} is a map lookup.
 */
final class RuleMeterRegistry {
  static final String OTHER_RULES = "other";
  private static final long RETENTION_MICROS = 15L * 60 * 1_000_000;

  private final MeterRegistry registry;
  private final int maxRules;
  private final Map<String, RuleMeters> byId = new ConcurrentHashMap<>();
  private final Map<String, RetiredRule> retired = new HashMap<>();
  private volatile @Nullable RuleMeters otherMeters;

  RuleMeterRegistry(MeterRegistry registry, int maxRules) {
    this.registry = registry;
    this.maxRules = maxRules;
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
   * Registers meters for the active rules and removes those of rules deleted long ago.
   *
   * @param nodes the number of nodes that share the store
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
        RuleMeters meters = register(rule);
        meters.updateOvershoot(rule, nodes);
        meters.updateInvalidCalendarValues(rule);
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
    if (rule.action() == RuleAction.BLOCK || rule.missing() == MissingAttributePolicy.REFUSE) {
      var unusedToo = meters.blockedCounter();
    }
    return meters;
  }

  /**
   * A rule that is no longer active; requests that matched it may still be decided.
   *
   * @param lastCountedMicros when its meters last changed, as far as is known, in microseconds
   * @param totalCount the total count at that time
   */
  private record RetiredRule(long lastCountedMicros, double totalCount) {

    boolean isExpired(long now, boolean crowded) {
      return now - lastCountedMicros >= RETENTION_MICROS || (crowded && now > lastCountedMicros);
    }
  }
}
