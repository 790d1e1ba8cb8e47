package io.weir.spring;

import io.weir.http.JsonText;
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

/** Makes rules of the {@link RateLimit}s on controllers, and collects what is wrong with them. */
final class AnnotationRuleReader {
  private final Environment environment;
  private final SpelExpressions expressions;
  private final Set<String> customAttributes;
  private final List<ConfigurationProblem> problems = new ArrayList<>();
  private final Map<String, Rule> rules = new LinkedHashMap<>();
  private final Map<String, Map<String, String>> expressionsByTarget = new HashMap<>();

  /**
   * @param own the names of {@code weir.attributes}
   */
  AnnotationRuleReader(Environment environment, SpelExpressions expressions, Set<String> own) {
    this.environment = environment;
    this.expressions = expressions;
    this.customAttributes = own;
  }

  /**
   * What was found.
   *
   * @param rules in an order that is the same on every node
   * @param expressions by controller or handler, the attributes its expressions say
   */
  record AnnotationRules(
      List<Rule> rules, Map<String, Map<String, String>> expressions, HandlerNames handlers) {
    static AnnotationRules empty() {
      return new AnnotationRules(List.of(), Map.of(), new HandlerNames(List.of()));
    }
  }

  /**
   * The rules of these controllers.
   *
   * @throws StartFailureException with everything that is wrong
   */
  AnnotationRules read(Collection<HandlerMethod> handlers) {
    HandlerNames names = new HandlerNames(handlers);
    Map<String, HandlerNames.ControllerMethod> places = new TreeMap<>();
    names.all().forEach((place, name) -> places.put(name.handler(), place));
    Map<String, Class<?>> controllers = new TreeMap<>();
    places
        .values()
        .forEach(place -> controllers.put(place.controller().getName(), place.controller()));
    controllers.forEach(
        (name, type) ->
            add(
                AttributeNames.CONTROLLER,
                name,
                type.getSimpleName(),
                RateLimitAnnotations.findOn(type)));
    places.forEach(
        (name, place) ->
            add(
                AttributeNames.HANDLER,
                name,
                place.controller().getSimpleName() + "-" + place.method().getName(),
                RateLimitAnnotations.findOn(place.method())));
    if (!problems.isEmpty()) {
      throw StartFailureException.ofProblems(problems);
    }
    return new AnnotationRules(List.copyOf(rules.values()), Map.copyOf(expressionsByTarget), names);
  }

  private void add(String attribute, String place, String name, Set<RateLimit> limits) {
    for (RateLimit limit : limits) {
      String id =
          RuleIds.makeUnique(
              limit.id().isEmpty() ? RuleIds.fromName(name) : limit.id(), rules.keySet());
      try {
        PerAttributes per =
            PerAttributes.parse(List.of(limit.per()), customAttributes, expressions);
        expressionsByTarget
            .computeIfAbsent(place, p -> new LinkedHashMap<>())
            .putAll(per.expressions());
        String match =
            JsonText.quote(JsonText.quote(new StringBuilder(), attribute).append(':'), place)
                .toString();
        Rule rule = Rules.readOne("@RateLimit", toJson(id, match, per.attributes(), limit));
        rules.put(rule.id(), rule);
      } catch (InvalidConfigurationException e) {
        e.problems().forEach(p -> addProblem(place, p.rule(), p.field(), p.reason()));
      } catch (IllegalArgumentException e) {
        addProblem(place, id, "", String.valueOf(e.getMessage()));
      }
    }
  }

  private String toJson(String id, String match, List<String> per, RateLimit limit) {
    StringBuilder out = new StringBuilder("{\"id\":");
    JsonText.quote(out, id).append(",\"match\":{").append(match).append("},\"per\":[");
    appendStrings(out, per).append("],\"limit\":[");
    List<String> rates = new ArrayList<>();
    for (String rate : limit.value()) {
      rates.add(environment.resolveRequiredPlaceholders(rate));
    }
    appendStrings(out, rates).append("],\"algorithm\":");
    JsonText.quote(out, limit.algorithm()).append(",\"on-store-failure\":");
    JsonText.quote(out, limit.onStoreFailure());
    if (limit.burst() != 0) {
      out.append(",\"burst\":").append(limit.burst());
    }
    return out.append(",\"shadow\":").append(limit.shadow()).append('}').toString();
  }

  private static StringBuilder appendStrings(StringBuilder out, List<String> texts) {
    for (int i = 0; i < texts.size(); i++) {
      JsonText.quote(i == 0 ? out : out.append(','), texts.get(i));
    }
    return out;
  }

  private void addProblem(String place, String rule, String field, String reason) {
    problems.add(new ConfigurationProblem("@RateLimit on " + place, 0, 0, rule, field, reason));
  }
}
