package io.weir.spring;

import io.weir.rule.LimitOverride;
import io.weir.rule.Rule;
import io.weir.rules.text.ConfigurationProblem;
import io.weir.rules.text.NameSuggestion;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Finds rules that can never match a request of this application. */
final class UnmatchableRuleCheck {
  private final String ruleSourceName;
  private final Set<String> customAttributes;
  private final Set<String> handlers = new TreeSet<>();
  private final Set<String> controllers = new TreeSet<>();
  private final List<ConfigurationProblem> problems = new ArrayList<>();

  UnmatchableRuleCheck(String ruleSourceName, Set<String> customAttributes, HandlerNames names) {
    this.ruleSourceName = ruleSourceName;
    this.customAttributes = customAttributes;
    for (HandlerNames.HandlerAttributes name : names.all().values()) {
      handlers.add(name.handler());
      controllers.add(name.controller());
    }
  }

  /** Returns the problems of these rules; empty if each can match a request. */
  List<ConfigurationProblem> findProblems(Collection<Rule> rules) {
    for (Rule rule : rules) {
      rule.per().forEach(name -> checkAttribute(rule, "per", name));
      rule.match()
          .patterns()
          .forEach((name, patterns) -> checkPatterns(rule, "match", name, patterns));
      for (LimitOverride override : rule.overrides()) {
        override
            .when()
            .patterns()
            .forEach((name, patterns) -> checkPatterns(rule, "overrides", name, patterns));
      }
    }
    return problems;
  }

  private void checkPatterns(Rule rule, String field, String name, List<String> patterns) {
    checkAttribute(rule, field, name);
    for (String pattern : patterns) {
      String reason = pattern.startsWith("!") ? "" : findMismatch(name, pattern);
      if (!reason.isEmpty()) {
        addProblem(rule, field, name + ": '" + pattern + "' matches no request: " + reason);
      }
    }
  }

  private void checkAttribute(Rule rule, String field, String name) {
    if (!AttributeNames.isKnown(name, customAttributes)) {
      addProblem(
          rule,
          field,
          "unknown attribute '" + name + "'; " + AttributeNames.suggestion(name, customAttributes));
    }
  }

  private String findMismatch(String name, String pattern) {
    return switch (name) {
      case "endpoint" -> checkEndpoint(pattern);
      case "path" -> checkPath(pattern);
      case AttributeNames.HANDLER -> checkHandlerName(pattern, handlers);
      case AttributeNames.CONTROLLER -> checkHandlerName(pattern, controllers);
      default -> "";
    };
  }

  private static String checkEndpoint(String pattern) {
    int space = pattern.indexOf(' ');
    boolean all = space < 0 && pattern.startsWith("*");
    return all ? "" : checkPath(pattern.substring(space + 1));
  }

  private static String checkPath(String pattern) {
    if (!pattern.startsWith("/") && !pattern.startsWith("*")) {
      return "paths must start with /; write /" + pattern;
    }
    if (pattern.contains("?")) {
      return "the query is not part of the path; remove it";
    }
    return pattern.length() > 1 && pattern.endsWith("/")
        ? "a trailing / is not part of the path; remove it"
        : "";
  }

  private static String checkHandlerName(String pattern, Set<String> known) {
    return pattern.contains("*") || known.contains(pattern)
        ? ""
        : "there is no such handler or controller"
            + NameSuggestion.closest(pattern, known)
                .map(name -> "; did you mean " + name + "?")
                .orElse("");
  }

  private void addProblem(Rule rule, String field, String reason) {
    problems.add(new ConfigurationProblem(ruleSourceName, 0, 0, rule.id(), field, reason));
  }
}
