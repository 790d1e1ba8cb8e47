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
 * The active rules: the rules of annotations merged with the configured rules, which may change at
 * any time. A configured rule replaces an annotation's rule with the same id.
 *
 * <p>Thread-safe; {@link #stagedRules} is a volatile read while nothing changes.
 */
final class MergedRuleSource implements RuleSource {
  private static final Logger LOG = System.getLogger(MergedRuleSource.class.getName());

  private final RuleSource configuredRules;
  private final WeirMode mode;
  private final Function<RuleSet, StagedRuleSet> splitByStage;
  private List<Rule> annotationRules = List.of();
  private volatile MergedRules merged;

  /** The merged rules and the configured rules they were made from. */
  private record MergedRules(RuleSet configured, StagedRuleSet staged) {}

  MergedRuleSource(
      RuleSource configured, WeirMode mode, Function<RuleSet, StagedRuleSet> splitByStage) {
    this.configuredRules = configured;
    this.mode = mode;
    this.splitByStage = splitByStage;
    merged = merge(configured.current());
  }

  /** Sets the rules of annotations, once all controllers exist. */
  synchronized void setAnnotationRules(List<Rule> rules) {
    annotationRules = rules;
    merged = merge(configuredRules.current());
  }

  StagedRuleSet stagedRules() {
    MergedRules current = merged;
    RuleSet latest = configuredRules.current();
    return current.configured() == latest ? current.staged() : refresh();
  }

  private synchronized StagedRuleSet refresh() {
    RuleSet latest = configuredRules.current();
    if (merged.configured() != latest) {
      try {
        merged = merge(latest);
      } catch (IllegalArgumentException e) {
        LOG.log(
            Level.WARNING, "rules rejected, the last good rules stay active: {0}", e.getMessage());
        merged = new MergedRules(latest, merged.staged());
      }
    }
    return merged.staged();
  }

  private MergedRules merge(RuleSet configured) {
    List<Rule> rules = new ArrayList<>();
    if (mode != WeirMode.OFF) {
      annotationRules.stream()
          .filter(rule -> configured.rule(rule.id()) == null)
          .forEach(rules::add);
      rules.addAll(configured.rules());
    }
    if (mode == WeirMode.SHADOW) {
      rules.replaceAll(rule -> rule.edit().shadow(true).build());
    }
    return new MergedRules(
        configured, splitByStage.apply(RuleSet.of(configured.revision(), rules)));
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
