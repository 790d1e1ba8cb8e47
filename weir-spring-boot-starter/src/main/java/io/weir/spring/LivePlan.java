package io.weir.spring;

import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rule.RuleSource;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * The rules in force, those of annotations and those that are written, which may change at any
 * time. A written rule takes the place of an annotation's of the same id.
 *
 * <p>Safe for any number of threads; {@link #plan} is a mere read while nothing changes.
 */
final class LivePlan implements RuleSource {
  private static final Logger LOG = System.getLogger(LivePlan.class.getName());

  private final RuleSource written;
  private final WeirMode mode;
  private final Function<RuleSet, Plan> planning;
  private List<Rule> annotated = List.of();
  private volatile Planned planned;

  /** A plan and the rules it is of. */
  private record Planned(RuleSet of, Plan plan) {}

  LivePlan(RuleSource written, WeirMode mode, Function<RuleSet, Plan> planning) {
    this.written = written;
    this.mode = mode;
    this.planning = planning;
    planned = make(written.current());
  }

  /** Adds the rules of annotations, once they are known. */
  synchronized void annotated(List<Rule> rules) {
    annotated = rules;
    planned = make(written.current());
  }

  Plan plan() {
    Planned known = planned;
    RuleSet now = written.current();
    return known.of() == now ? known.plan() : follow();
  }

  private synchronized Plan follow() {
    RuleSet now = written.current();
    if (planned.of() != now) {
      try {
        planned = make(now);
      } catch (IllegalArgumentException e) {
        LOG.log(Level.WARNING, "refused, the last good rules serve: {0}", e.getMessage());
        planned = new Planned(now, planned.plan());
      }
    }
    return planned.plan();
  }

  private Planned make(RuleSet now) {
    List<Rule> rules = new ArrayList<>();
    if (mode != WeirMode.OFF) {
      annotated.stream().filter(rule -> now.rule(rule.id()) == null).forEach(rules::add);
      rules.addAll(now.rules());
    }
    if (mode == WeirMode.SHADOW) {
      rules.replaceAll(rule -> rule.edit().shadow(true).build());
    }
    return new Planned(now, planning.apply(RuleSet.of(now.revision(), rules)));
  }

  @Override
  public RuleSet current() {
    return plan().all();
  }

  @Override
  public Duration stale() {
    return written.stale();
  }

  @Override
  public String writeFailure() {
    return written.writeFailure();
  }
}
