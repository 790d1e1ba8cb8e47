package io.weir.spring;

import io.weir.http.Json;
import io.weir.rule.Rule;
import io.weir.rules.Rules;
import io.weir.rules.text.Problem;
import io.weir.rules.text.TextException;
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
final class AnnotatedRules {
  private final Environment environment;
  private final Expressions expressions;
  private final Set<String> own;
  private final List<Problem> problems = new ArrayList<>();
  private final Map<String, Rule> rules = new LinkedHashMap<>();
  private final Map<String, Map<String, String>> expressionsOf = new HashMap<>();

  /**
   * @param own the names of {@code weir.attributes}
   */
  AnnotatedRules(Environment environment, Expressions expressions, Set<String> own) {
    this.environment = environment;
    this.expressions = expressions;
    this.own = own;
  }

  /**
   * What was found.
   *
   * @param rules in an order that is the same on every node
   * @param expressions by controller or handler, the attributes its expressions say
   */
  record Found(
      List<Rule> rules, Map<String, Map<String, String>> expressions, HandlerNames handlers) {
    static Found none() {
      return new Found(List.of(), Map.of(), new HandlerNames(List.of()));
    }
  }

  /**
   * The rules of these controllers.
   *
   * @throws StartFailure with everything that is wrong
   */
  Found find(Collection<HandlerMethod> handlers) {
    HandlerNames names = new HandlerNames(handlers);
    Map<String, HandlerNames.Place> places = new TreeMap<>();
    names.all().forEach((place, name) -> places.put(name.handler(), place));
    Map<String, Class<?>> controllers = new TreeMap<>();
    places
        .values()
        .forEach(place -> controllers.put(place.controller().getName(), place.controller()));
    controllers.forEach(
        (name, type) ->
            add(Attribute.CONTROLLER, name, type.getSimpleName(), RateLimited.on(type)));
    places.forEach(
        (name, place) ->
            add(
                Attribute.HANDLER,
                name,
                place.controller().getSimpleName() + "-" + place.method().getName(),
                RateLimited.on(place.method())));
    if (!problems.isEmpty()) {
      throw StartFailure.of(problems);
    }
    return new Found(List.copyOf(rules.values()), Map.copyOf(expressionsOf), names);
  }

  private void add(String attribute, String place, String name, Set<RateLimit> limits) {
    for (RateLimit limit : limits) {
      String id =
          RuleIds.free(limit.id().isEmpty() ? RuleIds.of(name) : limit.id(), rules.keySet());
      try {
        Counting per = Counting.per(List.of(limit.per()), own, expressions);
        expressionsOf.computeIfAbsent(place, p -> new LinkedHashMap<>()).putAll(per.expressions());
        String match =
            Json.quote(Json.quote(new StringBuilder(), attribute).append(':'), place).toString();
        Rule rule = Rules.readOne("@RateLimit", json(id, match, per.attributes(), limit));
        rules.put(rule.id(), rule);
      } catch (TextException e) {
        e.problems().forEach(p -> wrong(place, p.rule(), p.field(), p.reason()));
      } catch (IllegalArgumentException e) {
        wrong(place, id, "", String.valueOf(e.getMessage()));
      }
    }
  }

  private String json(String id, String match, List<String> per, RateLimit limit) {
    StringBuilder out = new StringBuilder("{\"id\":");
    Json.quote(out, id).append(",\"match\":{").append(match).append("},\"per\":[");
    texts(out, per).append("],\"limit\":[");
    List<String> rates = new ArrayList<>();
    for (String rate : limit.value()) {
      rates.add(environment.resolveRequiredPlaceholders(rate));
    }
    texts(out, rates).append("],\"algorithm\":");
    Json.quote(out, limit.algorithm()).append(",\"on-store-failure\":");
    Json.quote(out, limit.onStoreFailure());
    if (limit.burst() != 0) {
      out.append(",\"burst\":").append(limit.burst());
    }
    return out.append(",\"shadow\":").append(limit.shadow()).append('}').toString();
  }

  private static StringBuilder texts(StringBuilder out, List<String> texts) {
    for (int i = 0; i < texts.size(); i++) {
      Json.quote(i == 0 ? out : out.append(','), texts.get(i));
    }
    return out;
  }

  private void wrong(String place, String rule, String field, String reason) {
    problems.add(new Problem("@RateLimit on " + place, 0, 0, rule, field, reason));
  }
}
