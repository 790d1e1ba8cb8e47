package io.weir.spring;

import io.weir.http.IdentityResolver;
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
 * @param beforeAuthentication what is decided before authentication
 * @param afterAuthentication what is decided after it, or all if there is none
 * @param identity how requests are read
 */
record StagedRuleSet(
    RuleSet all,
    StageRules beforeAuthentication,
    StageRules afterAuthentication,
    IdentityResolver identity) {

  /**
   * Rules that are decided together.
   *
   * @param needsHandler whether they depend on which controller's method handles a request
   * @param derivedAttributes the attributes they name beyond those of every door
   * @param expressions those of them that expressions say, whoever handles the request
   */
  record StageRules(
      RuleSet rules,
      boolean needsHandler,
      List<String> derivedAttributes,
      Map<String, String> expressions) {
    boolean isEmpty() {
      return rules.rules().isEmpty();
    }
  }

  /**
   * @param own the names of {@code weir.attributes}
   * @param secured whether there is an authentication to be before and after of
   * @param reading how requests are read whose rules name these header fields
   */
  static StagedRuleSet of(
      RuleSet all,
      Set<String> own,
      boolean secured,
      Function<List<String>, IdentityResolver> reading) {
    List<Rule> early = new ArrayList<>();
    List<Rule> late = new ArrayList<>();
    Set<String> headers = new LinkedHashSet<>();
    for (Rule rule : all.rules()) {
      if (!rule.enabled()) {
        continue;
      }
      Set<String> names = attributeNames(rule);
      boolean later =
          !secured
              || names.stream().anyMatch(name -> AttributeNames.needsAuthentication(name, own));
      (later ? late : early).add(rule);
      names.stream()
          .flatMap(name -> AttributeNames.headerName(name).stream())
          .forEach(headers::add);
    }
    return new StagedRuleSet(
        all,
        stageRules(all.revision(), early, own),
        stageRules(all.revision(), late, own),
        reading.apply(List.copyOf(headers)));
  }

  private static StageRules stageRules(long revision, List<Rule> rules, Set<String> own) {
    Set<String> names = new LinkedHashSet<>();
    rules.forEach(rule -> names.addAll(attributeNames(rule)));
    boolean handlers =
        names.contains(AttributeNames.CONTROLLER) || names.contains(AttributeNames.HANDLER);
    names.removeIf(name -> !name.endsWith(AttributeNames.OR_IP_SUFFIX) && !own.contains(name));
    return new StageRules(RuleSet.of(revision, rules), handlers, List.copyOf(names), Map.of());
  }

  /** All attributes a rule names. */
  static Set<String> attributeNames(Rule rule) {
    Set<String> names = new LinkedHashSet<>(rule.per());
    names.addAll(rule.match().patterns().keySet());
    for (LimitOverride override : rule.overrides()) {
      names.addAll(override.when().patterns().keySet());
    }
    return names;
  }
}
