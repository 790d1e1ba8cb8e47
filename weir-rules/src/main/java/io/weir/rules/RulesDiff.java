package io.weir.rules;

import io.weir.rule.Consistency;
import io.weir.rule.Rule;
import io.weir.rule.StoreFailureFallback;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The differences between two collections of rules, by id. The order of rules is ignored.
 *
 * @param changedRules the rules that differ: those added or changed in the order of the second
 *     collection, then those removed
 * @param unchangedCount the number of rules that are equal in both
 */
public record RulesDiff(List<ChangedRule> changedRules, int unchangedCount) {
  private static final Map<String, String> DEFAULT_VALUES =
      Map.ofEntries(
          Map.entry("action", "limit"),
          Map.entry("match", "everyone"),
          Map.entry("per", "[]"),
          Map.entry("missing", "address"),
          Map.entry("algorithm", "token-bucket"),
          Map.entry("burst", "the limit"),
          Map.entry("consistency", "exact"),
          Map.entry("on-store-failure", "open"),
          Map.entry("durable", "false"),
          Map.entry("shadow", "false"),
          Map.entry("enabled", "true"));
  private static final String NONE = "none";

  public RulesDiff {
    changedRules = List.copyOf(changedRules);
  }

  /**
   * One rule that differs.
   *
   * @param before the rule as it was; empty if it is added
   * @param after the rule as it is; empty if it is removed
   */
  public record ChangedRule(String id, Optional<Rule> before, Optional<Rule> after) {

    /**
     * Returns the fields that differ, in their usual order; for a rule that is added or removed,
     * all fields that are set, except its id.
     */
    public List<ChangedField> fields() {
      Map<String, Object> old = before.map(RuleFields::of).orElse(Map.of());
      Map<String, Object> now = after.map(RuleFields::of).orElse(Map.of());
      return RuleReader.FIELD_NAMES.stream()
          .filter(name -> !name.equals("id") && !Objects.equals(old.get(name), now.get(name)))
          .map(name -> new ChangedField(name, text(before, name, old), text(after, name, now)))
          .toList();
    }

    private static String text(Optional<Rule> rule, String field, Map<String, Object> fields) {
      Object value = fields.get(field);
      return value == null
          ? rule.map(r -> defaultValue(r, field)).orElse("")
          : YamlWriter.flow(value);
    }
  }

  /**
   * One field that differs, with its values as YAML in one line.
   *
   * @param before the old value, or its default if it was not set; empty if there was no rule
   * @param after the new value, or its default if it is not set; empty if there is no rule
   */
  public record ChangedField(String name, String before, String after) {}

  /** Returns the differences that turn the first rules into the second. */
  public static RulesDiff between(Collection<Rule> before, Collection<Rule> after) {
    Map<String, Rule> old = new LinkedHashMap<>();
    before.forEach(rule -> old.put(rule.id(), rule));
    List<ChangedRule> changed = new ArrayList<>();
    for (Rule rule : after) {
      Rule oldRule = old.remove(rule.id());
      if (!rule.equals(oldRule)) {
        changed.add(new ChangedRule(rule.id(), Optional.ofNullable(oldRule), Optional.of(rule)));
      }
    }
    int equal = after.size() - changed.size();
    old.values()
        .forEach(r -> changed.add(new ChangedRule(r.id(), Optional.of(r), Optional.empty())));
    return new RulesDiff(changed, equal);
  }

  public boolean isEmpty() {
    return changedRules.isEmpty();
  }

  /** Returns the default of a field that a rule does not set. */
  private static String defaultValue(Rule rule, String field) {
    return switch (field) {
      case "sync-every" ->
          rule.consistency().mode() == Consistency.CountingMode.SYNCED
              ? YamlWriter.flow(RuleFields.duration(DependentFieldReader.DEFAULT_SYNC_INTERVAL))
              : NONE;
      case "local-share" ->
          rule.fallback().action() == StoreFailureFallback.FallbackAction.LOCAL
              ? DependentFieldReader.DEFAULT_LOCAL_SHARE_PERCENT + "%"
              : NONE;
      default -> DEFAULT_VALUES.getOrDefault(field, NONE);
    };
  }
}
