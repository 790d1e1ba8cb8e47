package io.weir.rules;

import io.weir.rule.Consistency;
import io.weir.rule.Posture;
import io.weir.rule.Rule;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * What differs between two collections of rules, by id. Their order makes no difference.
 *
 * @param changed the rules that differ: those added or changed in the order of the second
 *     collection, then those removed
 * @param equal how many are the same in both
 */
public record RulesDiff(List<Changed> changed, int equal) {
  private static final Map<String, String> USUAL =
      Map.of(
          "match", "everyone",
          "per", "[]",
          "algorithm", "token-bucket",
          "burst", "the limit",
          "consistency", "exact",
          "on-store-failure", "open",
          "durable", "false",
          "shadow", "false",
          "enabled", "true");
  private static final String NONE = "none";

  public RulesDiff {
    changed = List.copyOf(changed);
  }

  /**
   * One rule that differs.
   *
   * @param before the rule as it was; empty if it is added
   * @param after the rule as it is; empty if it is removed
   */
  public record Changed(String id, Optional<Rule> before, Optional<Rule> after) {

    /**
     * The fields that differ, in their usual order; of a rule added or removed, all it says but its
     * id.
     */
    public List<Field> fields() {
      Map<String, Object> old = before.map(RuleFields::of).orElse(Map.of());
      Map<String, Object> now = after.map(RuleFields::of).orElse(Map.of());
      return RuleReader.KNOWN.stream()
          .filter(name -> !name.equals("id") && !Objects.equals(old.get(name), now.get(name)))
          .map(name -> new Field(name, text(before, name, old), text(after, name, now)))
          .toList();
    }

    private static String text(Optional<Rule> rule, String field, Map<String, Object> written) {
      Object value = written.get(field);
      return value == null ? rule.map(r -> usual(r, field)).orElse("") : YamlWriter.flow(value);
    }
  }

  /**
   * One field that differs, its values as YAML writes them in a line.
   *
   * @param before what it means where nothing is written; empty if there was no rule
   * @param after likewise; empty if there is no rule
   */
  public record Field(String name, String before, String after) {}

  /** What makes of some rules the others. */
  public static RulesDiff between(Collection<Rule> before, Collection<Rule> after) {
    Map<String, Rule> old = new LinkedHashMap<>();
    before.forEach(rule -> old.put(rule.id(), rule));
    List<Changed> changed = new ArrayList<>();
    for (Rule rule : after) {
      Rule was = old.remove(rule.id());
      if (!rule.equals(was)) {
        changed.add(new Changed(rule.id(), Optional.ofNullable(was), Optional.of(rule)));
      }
    }
    int equal = after.size() - changed.size();
    old.values().forEach(r -> changed.add(new Changed(r.id(), Optional.of(r), Optional.empty())));
    return new RulesDiff(changed, equal);
  }

  public boolean isEmpty() {
    return changed.isEmpty();
  }

  /** What a rule means that does not write a field. */
  private static String usual(Rule rule, String field) {
    return switch (field) {
      case "sync-every" ->
          rule.consistency().kind() == Consistency.Kind.SYNCED
              ? YamlWriter.flow(RuleFields.duration(PairsReader.SYNC_EVERY))
              : NONE;
      case "local-share" ->
          rule.posture().answer() == Posture.Answer.LOCAL ? PairsReader.LOCAL_SHARE + "%" : NONE;
      default -> USUAL.getOrDefault(field, NONE);
    };
  }
}
