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
 * <p>Safe for any number of threads; {@link #stagedRules} is a mere read while nothing changes.
 */
final class MergedRuleSource implements RuleSource {
  private static final Logger LOG = System.getLogger(MergedRuleSource.class.getName());

  private final RuleSource configuredRules;
  private final WeirMode mode;
  private final Function<RuleSet, StagedRuleSet> splitByStage;
  private List<Rule> annotationRules = List.of();
  private volatile MergedRules merged;

  /** A plan and the rules it is of. */
  private record MergedRules(RuleSet configured, StagedRuleSet staged) {}

  MergedRuleSource(RuleSource written, WeirMode mode, Function<RuleSet, StagedRuleSet> planning) {
    this.configuredRules = written;
    this.mode = mode;
    this.splitByStage = planning;
    merged = merge(written.current());
  }

  /** Adds the rules of annotations, once they are known. */
  synchronized void setAnnotationRules(List<Rule> rules) {
    annotationRules = rules;
    merged = merge(configuredRules.current());
  }

  StagedRuleSet stagedRules() {
    MergedRules known = merged;
    RuleSet now = configuredRules.current();
    return known.configured() == now ? known.staged() : refresh();
  }

  private synchronized StagedRuleSet refresh() {
    RuleSet now = configuredRules.current();
    if (merged.configured() != now) {
      try {
        merged = merge(now);
      } catch (IllegalArgumentException e) {
        LOG.log(Level.WARNING, "refused, the last good rules serve: {0}", e.getMessage());
        merged = new MergedRules(now, merged.staged());
      }
    }
    return merged.staged();
  }

  private MergedRules merge(RuleSet now) {
    List<Rule> rules = new ArrayList<>();
    if (mode != WeirMode.OFF) {
      annotationRules.stream().filter(rule -> now.rule(rule.id()) == null).forEach(rules::add);
      rules.addAll(now.rules());
    }
    if (mode == WeirMode.SHADOW) {
      rules.replaceAll(rule -> rule.edit().shadow(true).build());
    }
    return new MergedRules(now, splitByStage.apply(RuleSet.of(now.revision(), rules)));
  }

  @Override
  public RuleSet current() {
    return stagedRules().all();
  }

  @Override
  public Duration staleness() {
    return configuredRules.staleness();
  }

  @Override
  public String writeFailure() {
    return configuredRules.writeFailure();
  }
}
