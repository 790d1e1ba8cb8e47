package io.weir.server.admin;

import io.weir.Request;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rules.database.Said;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What every rule said so far, and whom so many of them refused at most; all of rules alone, and so
 * bounded whatever callers send. Safe for any number of threads.
 */
final class Tallies {
  private static final int MOST_FOLLOWED = 1000;

  private final Map<String, Tally> byRule = new ConcurrentHashMap<>();
  private int followed;

  Tally of(Rule rule) {
    Tally tally = byRule.get(rule.id());
    return tally != null ? tally : byRule.computeIfAbsent(rule.id(), id -> new Tally());
  }

  void refused(Tally tally, long now, long key, Rule rule, Request request) {
    RefusedCallers callers = tally.callers;
    if (callers == null) {
      callers = follow(tally);
    }
    if (callers != null) {
      callers.refused(now, key, rule.per(), request);
    }
  }

  private synchronized @Nullable RefusedCallers follow(Tally tally) {
    if (tally.callers == null && followed < MOST_FOLLOWED) {
      followed++;
      tally.callers = new RefusedCallers();
    }
    return tally.callers;
  }

  /** Forgets rules that are no more. */
  synchronized void keepOnly(RuleSet rules) {
    byRule.keySet().removeIf(id -> rules.rule(id) == null);
    followed = (int) byRule.values().stream().filter(tally -> tally.callers != null).count();
  }

  /** As {@link #all}, in numbers and in no order. */
  Map<String, Said> soFar() {
    Map<String, Said> said = new HashMap<>(2 * byRule.size());
    byRule.forEach(
        (id, tally) ->
            said.put(
                id,
                new Said(id, tally.allowed.sum(), tally.refused.sum(), tally.shadowRefused.sum())));
    return said;
  }

  /** What every rule said that said anything, by its id. */
  Map<String, Tally> all() {
    return new TreeMap<>(byRule);
  }
}
