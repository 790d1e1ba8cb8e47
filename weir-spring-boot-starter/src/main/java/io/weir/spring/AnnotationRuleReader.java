package io.weir.spring;

import io.weir.internal.JsonObjectBuilder;
import io.weir.rule.Rule;
import io.weir.rules.Rules;
import io.weir.rules.text.ConfigurationProblem;
import io.weir.rules.text.InvalidConfigurationException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.springframework.core.env.Environment;
import org.springframework.web.method.HandlerMethod;

/** Converts the {@link RateLimit}s on controllers to rules and collects their problems. */
final class AnnotationRuleReader {
  private final Environment environment;
  private final SpelExpressions expressions;
  private final Set<String> customAttributes;
  private final List<ConfigurationProblem> problems = new ArrayList<>();
  private final Map<String, Rule> rules = new LinkedHashMap<>();
  private final Map<String, Map<String, String>> expressionsByTarget = new HashMap<>();

  /**
   * @param customAttributes the names of {@code weir.attributes}
   */
  AnnotationRuleReader(
      Environment environment, SpelExpressions expressions, Set<String> customAttributes) {
    this.environment = environment;
    this.expressions = expressions;
    this.customAttributes = customAttributes;
  }

  /**
   * The rules of all annotations.
   *
   * @param rules the rules, in the same order on every node
   * @param expressions by controller or handler: SpEL expressions by attribute name
   */
  record AnnotationRules(
      List<Rule> rules, Map<String, Map<String, String>> expressions, HandlerNames handlers) {
    static AnnotationRules empty() {
      return new AnnotationRules(List.of(), Map.of(), new HandlerNames(List.of()));
    }
  }

  /**
   * Returns the rules of these controllers.
   *
   * @throws StartFailureException with all problems found
   */
  AnnotationRules read(Collection<HandlerMethod> handlers) {
    HandlerNames names = new HandlerNames(handlers);
    Map<String, HandlerNames.ControllerMethod> methods = new TreeMap<>();
    names.all().forEach((method, name) -> methods.put(name.handler(), method));
    Map<String, Class<?>> controllers = new TreeMap<>();
    methods
        .values()
        .forEach(method -> controllers.put(method.controller().getName(), method.controller()));
    controllers.forEach(
        (name, type) ->
            add(
                AttributeNames.CONTROLLER,
                name,
                type.getSimpleName(),
                RateLimitAnnotations.findOn(type)));
    methods.forEach(
        (name, method) ->
            add(
                AttributeNames.HANDLER,
                name,
                method.controller().getSimpleName() + "-" + method.method().getName(),
                RateLimitAnnotations.findOn(method.method())));
    StartFailureException.throwIfAny(problems);
    return new AnnotationRules(List.copyOf(rules.values()), Map.copyOf(expressionsByTarget), names);
  }

  private void add(String attribute, String target, String name, Set<RateLimit> limits) {
    for (RateLimit limit : limits) {
      String id =
          RuleIds.makeUnique(
              limit.id().isEmpty() ? RuleIds.fromName(name) : limit.id(), rules.keySet());
      try {
        PerAttributes per =
            PerAttributes.parse(List.of(limit.per()), customAttributes, expressions);
        per.expressions()
            .values()
            .forEach(expression -> expressions.recordUse(expression, "rule " + id));
        expressionsByTarget
            .computeIfAbsent(target, p -> new LinkedHashMap<>())
            .putAll(per.expressions());
        Rule rule =
            Rules.readOne("@RateLimit", toJson(id, attribute, target, per.attributes(), limit));
        rules.put(rule.id(), rule);
      } catch (InvalidConfigurationException e) {
        e.problems().forEach(p -> addProblem(target, p.rule(), p.field(), p.reason()));
      } catch (IllegalArgumentException e) {
        addProblem(target, id, "", String.valueOf(e.getMessage()));
      }
    }
  }

  private String toJson(
      String id, String attribute, String target, List<String> per, RateLimit limit) {
    List<String> rates = new ArrayList<>();
    for (String rate : limit.value()) {
      rates.add(environment.resolveRequiredPlaceholders(rate));
    }
    JsonObjectBuilder json =
        new JsonObjectBuilder()
            .text("id", id)
            .textMap("match", Map.of(attribute, target))
            .textList("per", per)
            .text("algorithm", limit.algorithm())
            .text("on-store-failure", limit.onStoreFailure());
    if (!rates.isEmpty()) {
      json.textList("limit", rates);
    }
    if (limit.inFlight() != 0) {
      json.number("in-flight", limit.inFlight());
    }
    if (!limit.heldAtMost().isEmpty()) {
      json.text("held-at-most", environment.resolveRequiredPlaceholders(limit.heldAtMost()));
    }
    if (limit.burst() != 0) {
      json.number("burst", limit.burst());
    }
    return json.bool("shadow", limit.shadow()).build();
  }

  private void addProblem(String target, String rule, String field, String reason) {
    problems.add(new ConfigurationProblem("@RateLimit on " + target, 0, 0, rule, field, reason));
  }
}
