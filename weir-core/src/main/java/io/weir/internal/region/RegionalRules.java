package io.weir.internal.region;

import io.weir.internal.rule.CompiledRuleSet;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rule.RuleSource;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

/**
 * The rules as one region enforces them: rules with a divided budget have the region's share of
 * their limits, all others are unchanged.
 *
 * <p>A region has its configured share until another share is assigned. Rules keep their revision
 * and their counters, and an unchanged rule stays the same object. If the region of the node is not
 * configured, divided rules are enforced in full and a warning is logged.
 *
 * <p>Thread-safe.
 */
public final class RegionalRules implements RuleSource {
  private static final Logger LOG = System.getLogger(RegionalRules.class.getName());

  private final RuleSource configured;
  private final String region;
  private final Map<RegionalBudget, Integer> assignedShares = new HashMap<>();
  private final Set<String> warned = new HashSet<>();
  private volatile RegionalSnapshot snapshot;

  /**
   * The rules of this region, with the rules and shares they were computed from.
   *
   * @param divided the divided rules as configured, by id
   */
  private record RegionalSnapshot(
      RuleSet configured,
      RuleSet regional,
      Map<String, Rule> divided,
      Map<String, Integer> shares) {}

  /**
   * @param written the rules as configured
   * @param region the region of the node, as named in rules; empty if it is not configured
   */
  public RegionalRules(RuleSource written, String region) {
    this.configured = written;
    this.region = region;
    RuleSet none = RuleSet.of();
    snapshot = new RegionalSnapshot(none, none, Map.of(), Map.of());
    var unused = refresh();
  }

  @Override
  public RuleSet current() {
    return snapshot().regional;
  }

  @Override
  public Duration staleness() {
    return configured.staleness();
  }

  @Override
  public String writeFailure() {
    return configured.writeFailure();
  }

  /** Returns the region of the node; empty if it is not configured. */
  public String region() {
    return region;
  }

  /**
   * Returns the share that this region enforces of each divided rule, in thousandths, by rule id.
   */
  public Map<String, Integer> shares() {
    return snapshot().shares;
  }

  /** Returns the active rules with a divided budget, as configured, by id. */
  Map<String, Rule> dividedRules() {
    return snapshot().divided;
  }

  /** Assigns a share, which is enforced from the next decision on. */
  synchronized void assignShare(RegionalBudget budget, int share) {
    assignedShares.put(budget, share);
    var unused = refresh();
  }

  private RegionalSnapshot snapshot() {
    RegionalSnapshot known = snapshot;
    return known.configured == configured.current() ? known : refresh();
  }

  private synchronized RegionalSnapshot refresh() {
    RuleSet current = configured.current();
    RegionalSnapshot known = snapshot;
    Map<String, Rule> divided = new TreeMap<>();
    Map<String, Integer> shares = new TreeMap<>();
    Map<String, Rule> regional = new HashMap<>();
    Set<RegionalBudget> active = new HashSet<>();
    for (Rule rule : current.rules()) {
      if (rule.enabled() && isDivided(rule)) {
        RegionalBudget budget = RegionalBudget.of(rule);
        active.add(budget);
        int share = assignedShares.getOrDefault(budget, budget.configuredShare(region));
        boolean same =
            Objects.equals(known.divided.get(rule.id()), rule)
                && Objects.equals(known.shares.get(rule.id()), share);
        Rule before = known.regional.rule(rule.id());
        divided.put(rule.id(), rule);
        shares.put(rule.id(), share);
        regional.put(rule.id(), same && before != null ? before : rule.withShare(share));
      }
    }
    assignedShares.keySet().retainAll(active);
    if (known.configured != current || !known.shares.equals(shares)) {
      snapshot =
          new RegionalSnapshot(
              current,
              CompiledRuleSet.of(current).withReplaced(regional.values()),
              Collections.unmodifiableMap(divided),
              Collections.unmodifiableMap(shares));
    }
    return snapshot;
  }

  private boolean isDivided(Rule rule) {
    if (rule.regions().isEmpty()) {
      return false;
    }
    if (region.isEmpty()) {
      warnOnce(
          rule,
          "its budget is divided over regions, but the region of this node is not configured,"
              + " so all of it is enforced here; set --region");
      return false;
    }
    if (RegionalBudget.of(rule).configuredShare(region) == 0) {
      warnOnce(
          rule,
          "region "
              + region
              + " has no share of its budget, so all requests are refused here; add the region to"
              + " regions");
    }
    return true;
  }

  /** Logs a warning once per rule. */
  private void warnOnce(Rule rule, String message) {
    if (warned.add(rule.id())) {
      LOG.log(Level.WARNING, "rule {0}: {1}", rule.id(), message);
    }
  }
}
