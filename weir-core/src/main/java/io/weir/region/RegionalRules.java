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

  private final RuleSource written;
  private final String region;
  private final Map<Divided, Integer> given = new HashMap<>();
  private final Set<String> warned = new HashSet<>();
  private volatile View view;

  /**
   * A snapshot, and what it was made from.
   *
   * @param shared the rules that are enforced in part, as they are written, by id
   */
  private record View(
      RuleSet written, RuleSet here, Map<String, Rule> shared, Map<String, Integer> shares) {}

  /**
   * @param written the rules as they are written
   * @param region the node's, as rules name it; empty if it is not said
   */
  public RegionalRules(RuleSource written, String region) {
    this.written = written;
    this.region = region;
    RuleSet none = RuleSet.of();
    view = new View(none, none, Map.of(), Map.of());
    var unused = renew();
  }

  @Override
  public RuleSet current() {
    return view().here;
  }

  @Override
  public Duration stale() {
    return written.stale();
  }

  @Override
  public String writeFailure() {
    return written.writeFailure();
  }

  /** The node's region; empty if it is not said. */
  public String region() {
    return region;
  }

  /** The share this region enforces of each divided rule, by its id, in thousandths. */
  public Map<String, Integer> shares() {
    return view().shares;
  }

  /** The rules in force whose budget is divided, as they are written. */
  Map<String, Rule> divided() {
    return view().shared;
  }

  /** Has other shares enforced from the next decision on. */
  synchronized void give(Divided rule, int share) {
    given.put(rule, share);
    var unused = renew();
  }

  private View view() {
    View known = view;
    return known.written == written.current() ? known : renew();
  }

  private synchronized View renew() {
    RuleSet now = written.current();
    View known = view;
    Map<String, Rule> shared = new TreeMap<>();
    Map<String, Integer> shares = new TreeMap<>();
    Map<String, Rule> here = new HashMap<>();
    Set<Divided> inForce = new HashSet<>();
    for (Rule rule : now.rules()) {
      if (rule.enabled() && isShared(rule)) {
        Divided divided = Divided.of(rule);
        inForce.add(divided);
        int share = given.getOrDefault(divided, divided.base(region));
        boolean same =
            Objects.equals(known.shared.get(rule.id()), rule)
                && Objects.equals(known.shares.get(rule.id()), share);
        Rule before = known.here.rule(rule.id());
        shared.put(rule.id(), rule);
        shares.put(rule.id(), share);
        here.put(rule.id(), same && before != null ? before : rule.withShare(share));
      }
    }
    given.keySet().retainAll(inForce);
    if (known.written != now || !known.shares.equals(shares)) {
      view =
          new View(
              now,
              now.with(here.values()),
              Collections.unmodifiableMap(shared),
              Collections.unmodifiableMap(shares));
    }
    return view;
  }

  private boolean isShared(Rule rule) {
    if (rule.regions().isEmpty()) {
      return false;
    }
    if (region.isEmpty()) {
      warn(
          rule,
          "its budget is divided over regions, but this node's is not said, so all of it is"
              + " enforced here; write --region");
      return false;
    }
    if (Divided.of(rule).base(region) == 0) {
      warn(
          rule,
          "all of its budget is shared out and region "
              + region
              + " has nothing of it, so everything is refused here; write its share");
    }
    return true;
  }

  /** Once for each rule. */
  private void warn(Rule rule, String what) {
    if (warned.add(rule.id())) {
      LOG.log(Level.WARNING, "rule {0}: {1}", rule.id(), what);
    }
  }
}
