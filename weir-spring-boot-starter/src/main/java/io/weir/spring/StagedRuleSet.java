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
 * One revision of the rules, split by the stage at which the filters apply them.
 *
 * @param beforeAuthentication the rules applied before authentication
 * @param afterAuthentication the rules applied after authentication; all rules without Spring
 *     Security
 * @param identity resolves the attributes of requests that these rules use
 */
record StagedRuleSet(
    RuleSet all,
    StageRules beforeAuthentication,
    StageRules afterAuthentication,
    IdentityResolver identity) {

  /**
   * The rules of one stage.
   *
   * @param needsHandler whether a rule uses the controller method that handles a request
   * @param derivedAttributes the attributes that must be computed: {@code .or-ip} and custom
   *     attributes
   * @param expressions SpEL expressions by attribute name, independent of the handler
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
   * @param customAttributes the names of {@code weir.attributes}
   * @param secured whether Spring Security is present
   * @param resolverFor creates the identity resolver for the header fields that rules use
   */
  static StagedRuleSet of(
      RuleSet all,
      Set<String> customAttributes,
      boolean secured,
      Function<List<String>, IdentityResolver> resolverFor) {
    List<Rule> early = new ArrayList<>();
    List<Rule> late = new ArrayList<>();
    Set<String> headers = new LinkedHashSet<>();
    for (Rule rule : all.rules()) {
      if (!rule.enabled()) {
        continue;
      }
      Set<String> names = attributeNames(rule);
      boolean isLate =
          !secured
              || names.stream()
                  .anyMatch(name -> AttributeNames.needsAuthentication(name, customAttributes));
      (isLate ? late : early).add(rule);
      names.stream()
          .flatMap(name -> AttributeNames.headerName(name).stream())
          .forEach(headers::add);
    }
    return new StagedRuleSet(
        all,
        stageRules(all.revision(), early, customAttributes),
        stageRules(all.revision(), late, customAttributes),
        resolverFor.apply(List.copyOf(headers)));
  }

  private static StageRules stageRules(
      long revision, List<Rule> rules, Set<String> customAttributes) {
    Set<String> names = new LinkedHashSet<>();
    rules.forEach(rule -> names.addAll(attributeNames(rule)));
    boolean handlers =
        names.contains(AttributeNames.CONTROLLER) || names.contains(AttributeNames.HANDLER);
    names.removeIf(
        name -> !name.endsWith(AttributeNames.OR_IP_SUFFIX) && !customAttributes.contains(name));
    return new StageRules(RuleSet.of(revision, rules), handlers, List.copyOf(names), Map.of());
  }

  /** Returns all attributes that a rule uses. */
  static Set<String> attributeNames(Rule rule) {
    Set<String> names = new LinkedHashSet<>(rule.per());
    names.addAll(rule.match().patterns().keySet());
    for (LimitOverride override : rule.overrides()) {
      names.addAll(override.when().patterns().keySet());
    }
    return names;
  }
}
