package io.weir.spring;

import io.weir.rule.LimitOverride;
import io.weir.rule.Rule;
import io.weir.rules.text.ConfigurationProblem;
import io.weir.rules.text.NameSuggestion;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/** Finds rules that can never meet a request of this application. */
final class UnmatchableRuleCheck {
  private final String ruleSourceName;
  private final Set<String> customAttributes;
  private final Set<String> handlers = new TreeSet<>();
  private final Set<String> controllers = new TreeSet<>();
  private final List<ConfigurationProblem> problems = new ArrayList<>();

  UnmatchableRuleCheck(String file, Set<String> own, HandlerNames names) {
    this.ruleSourceName = file;
    this.customAttributes = own;
    for (HandlerNames.HandlerAttributes name : names.all().values()) {
      handlers.add(name.handler());
      controllers.add(name.controller());
    }
  }

  /** What is wrong with these rules; nothing if each can meet a request. */
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
      String wrong = pattern.startsWith("!") ? "" : findMismatch(name, pattern);
      if (!wrong.isEmpty()) {
        addProblem(rule, field, name + ": '" + pattern + "' meets no request: " + wrong);
      }
    }
  }

  private void checkAttribute(Rule rule, String field, String name) {
    if (!AttributeNames.isKnown(name, customAttributes)) {
      addProblem(
          rule,
          field,
          "'"
              + name
              + "' is nothing a request here has; "
              + AttributeNames.suggestion(name, customAttributes));
    }
  }

  private String findMismatch(String name, String pattern) {
    return switch (name) {
      case "endpoint" -> checkEndpoint(pattern);
      case "method" -> checkMethod(pattern);
      case "path" -> checkPath(pattern);
      case AttributeNames.HANDLER -> checkHandlerName(pattern, handlers);
      case AttributeNames.CONTROLLER -> checkHandlerName(pattern, controllers);
      default -> "";
    };
  }

  private static String checkEndpoint(String pattern) {
    int space = pattern.indexOf(' ');
    if (space < 0) {
      boolean all = pattern.startsWith("*");
      return all ? "" : "it names no method; write GET " + pattern + ", or * " + pattern;
    }
    String method = checkMethod(pattern.substring(0, space));
    return method.isEmpty() ? checkPath(pattern.substring(space + 1)) : method;
  }

  private static String checkMethod(String pattern) {
    return pattern.chars().anyMatch(Character::isLowerCase)
        ? "methods are in capitals; write " + pattern.toUpperCase(Locale.ROOT)
        : "";
  }

  private static String checkPath(String pattern) {
    if (!pattern.startsWith("/") && !pattern.startsWith("*")) {
      return "paths begin with /; write /" + pattern;
    }
    if (pattern.contains("?")) {
      return "the query is not matched; leave it out";
    }
    return pattern.length() > 1 && pattern.endsWith("/")
        ? "a last / is not matched; leave it out"
        : "";
  }

  private static String checkHandlerName(String pattern, Set<String> known) {
    return pattern.contains("*") || known.contains(pattern)
        ? ""
        : "there is no such one"
            + NameSuggestion.closest(pattern, known)
                .map(near -> "; did you mean " + near + "?")
                .orElse("");
  }

  private void addProblem(Rule rule, String field, String reason) {
    problems.add(new ConfigurationProblem(ruleSourceName, 0, 0, rule.id(), field, reason));
  }
}
