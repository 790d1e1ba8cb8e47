package io.weir.spring;

import io.weir.http.Identity;
import io.weir.rule.LimitOverride;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * What one revision of the rules asks of the doors.
 *
 * @param early what is decided before authentication
 * @param late what is decided after it, or all if there is none
 * @param identity how requests are read
 */
record Plan(RuleSet all, Part early, Part late, Identity identity) {

  /**
   * Rules that are decided together.
   *
   * @param handlers whether they depend on which controller's method handles a request
   * @param derived the attributes they name beyond those of every door
   * @param expressions those of them that expressions say, whoever handles the request
   */
  record Part(
      RuleSet rules, boolean handlers, List<String> derived, Map<String, String> expressions) {
    boolean isEmpty() {
      return rules.rules().isEmpty();
    }
  }

  /**
   * @param own the names of {@code weir.attributes}
   * @param secured whether there is an authentication to be before and after of
   * @param reading how requests are read whose rules name these header fields
   */
  static Plan of(
      RuleSet all, Set<String> own, boolean secured, Function<List<String>, Identity> reading) {
    List<Rule> early = new ArrayList<>();
    List<Rule> late = new ArrayList<>();
    Set<String> headers = new LinkedHashSet<>();
    for (Rule rule : all.rules()) {
      if (!rule.enabled()) {
        continue;
      }
      Set<String> names = names(rule);
      boolean later = !secured || names.stream().anyMatch(name -> Attribute.isLate(name, own));
      (later ? late : early).add(rule);
      names.stream().flatMap(name -> Attribute.header(name).stream()).forEach(headers::add);
    }
    return new Plan(
        all,
        part(all.revision(), early, own),
        part(all.revision(), late, own),
        reading.apply(List.copyOf(headers)));
  }

  private static Part part(long revision, List<Rule> rules, Set<String> own) {
    Set<String> names = new LinkedHashSet<>();
    rules.forEach(rule -> names.addAll(names(rule)));
    boolean handlers = names.contains(Attribute.CONTROLLER) || names.contains(Attribute.HANDLER);
    names.removeIf(name -> !name.endsWith(Attribute.OR_IP) && !own.contains(name));
    return new Part(RuleSet.of(revision, rules), handlers, List.copyOf(names), Map.of());
  }

  /** All attributes a rule names. */
  static Set<String> names(Rule rule) {
    Set<String> names = new LinkedHashSet<>(rule.per());
    names.addAll(rule.match().patterns().keySet());
    for (LimitOverride override : rule.overrides()) {
      names.addAll(override.when().patterns().keySet());
    }
    return names;
  }
}
