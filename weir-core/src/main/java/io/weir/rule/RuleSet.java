package io.weir.rule;

import io.weir.internal.rule.CompiledRuleSet;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An immutable set of rules with a revision, indexed so that finding the rules that match a request
 * costs the same for ten rules and for ten thousand.
 */
public abstract class RuleSet implements RuleSource {
  private final long revision;
  private final Map<String, Rule> byId;

  /** Creates a rule set; only for the compiled sets that {@link #of} returns. */
  protected RuleSet(long revision, Map<String, Rule> byId) {
    this.revision = revision;
    this.byId = Collections.unmodifiableMap(byId);
  }

  /**
   * Creates a rule set with this revision.
   *
   * @throws RuleException if two rules have the same id
   */
  public static RuleSet of(long revision, Collection<Rule> rules) {
    Map<String, Rule> byId = new LinkedHashMap<>();
    for (Rule rule : rules) {
      if (byId.put(rule.id(), rule) != null) {
        throw new RuleException(
            rule.id(), "id", "is used by two rules; give each rule a unique id");
      }
    }
    return new CompiledRuleSet(revision, byId, null);
  }

  /** Creates a rule set with revision 1. */
  public static RuleSet of(Rule... rules) {
    return of(1, List.of(rules));
  }

  @Override
  public RuleSet current() {
    return this;
  }

  public long revision() {
    return revision;
  }

  /** Returns all rules by id, in order, including disabled ones. */
  protected final Map<String, Rule> byId() {
    return byId;
  }

  /** Returns all rules in order, including disabled ones. */
  public List<Rule> rules() {
    return new ArrayList<>(byId.values());
  }

  public @Nullable Rule rule(String id) {
    return byId.get(id);
  }

  /**
   * Returns a set with only this rule, for operators who inspect or change its counters. The rule
   * matches every request that has the attributes it counts per, ignoring its selector and whether
   * it is enabled.
   *
   * @throws IllegalArgumentException if there is no such rule
   */
  public RuleSet onlyRule(String id) {
    Rule rule = byId.get(id);
    if (rule == null) {
      throw new IllegalArgumentException(
          "rule '" + id + "' does not exist; write the id of an existing rule");
    }
    return of(revision, List.of(rule.edit().match(Selector.ANY).enabled(true).build()));
  }
}
