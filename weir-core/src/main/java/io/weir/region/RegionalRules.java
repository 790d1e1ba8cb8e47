package io.weir.region;

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
 * Rules as one region enforces them: those whose budget is divided have the region's share of their
 * limits, all others are what they are.
 *
 * <p>A share is as written until another is given. Rules keep their revision and their counters,
 * and one of which nothing changes stays the same object. Where the node's region is not said,
 * divided rules are enforced whole, and a warning says so.
 *
 * <p>Safe for any number of threads.
 */
public final class RegionalRules implements RuleSource {
  private static final Logger LOG = System.getLogger(RegionalRules.class.getName());

  private final RuleSource configured;
  private final String region;
  private final Map<DividedBudget, Integer> assignedShares = new HashMap<>();
  private final Set<String> warned = new HashSet<>();
  private volatile RegionalSnapshot snapshot;

  /**
   * A snapshot, and what it was made from.
   *
   * @param divided the rules that are enforced in part, as they are written, by id
   */
  private record RegionalSnapshot(
      RuleSet configured,
      RuleSet regional,
      Map<String, Rule> divided,
      Map<String, Integer> shares) {}

  /**
   * @param written the rules as they are written
   * @param region the node's, as rules name it; empty if it is not said
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

  /** The node's region; empty if it is not said. */
  public String region() {
    return region;
  }

  /** The share this region enforces of each divided rule, by its id, in thousandths. */
  public Map<String, Integer> shares() {
    return snapshot().shares;
  }

  /** The rules in force whose budget is divided, as they are written. */
  Map<String, Rule> dividedRules() {
    return snapshot().divided;
  }

  /** Has other shares enforced from the next decision on. */
  synchronized void assignShare(DividedBudget rule, int share) {
    assignedShares.put(rule, share);
    var unused = refresh();
  }

  private RegionalSnapshot snapshot() {
    RegionalSnapshot known = snapshot;
    return known.configured == configured.current() ? known : refresh();
  }

  private synchronized RegionalSnapshot refresh() {
    RuleSet now = configured.current();
    RegionalSnapshot known = snapshot;
    Map<String, Rule> shared = new TreeMap<>();
    Map<String, Integer> shares = new TreeMap<>();
    Map<String, Rule> here = new HashMap<>();
    Set<DividedBudget> inForce = new HashSet<>();
    for (Rule rule : now.rules()) {
      if (rule.enabled() && isDivided(rule)) {
        DividedBudget divided = DividedBudget.of(rule);
        inForce.add(divided);
        int share = assignedShares.getOrDefault(divided, divided.configuredShare(region));
        boolean same =
            Objects.equals(known.divided.get(rule.id()), rule)
                && Objects.equals(known.shares.get(rule.id()), share);
        Rule before = known.regional.rule(rule.id());
        shared.put(rule.id(), rule);
        shares.put(rule.id(), share);
        here.put(rule.id(), same && before != null ? before : rule.withShare(share));
      }
    }
    assignedShares.keySet().retainAll(inForce);
    if (known.configured != now || !known.shares.equals(shares)) {
      snapshot =
          new RegionalSnapshot(
              now,
              now.withReplaced(here.values()),
              Collections.unmodifiableMap(shared),
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
          "its budget is divided over regions, but this node's is not said, so all of it is"
              + " enforced here; write --region");
      return false;
    }
    if (DividedBudget.of(rule).configuredShare(region) == 0) {
      warnOnce(
          rule,
          "all of its budget is shared out and region "
              + region
              + " has nothing of it, so everything is refused here; write its share");
    }
    return true;
  }

  /** Once for each rule. */
  private void warnOnce(Rule rule, String what) {
    if (warned.add(rule.id())) {
      LOG.log(Level.WARNING, "rule {0}: {1}", rule.id(), what);
    }
  }
}
