package io.weir.spring;

import io.weir.rule.LimitOverride;
import io.weir.rule.Rule;
import io.weir.rules.text.Nearest;
import io.weir.rules.text.Problem;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/** Finds rules that can never meet a request of this application. */
final class RuleExam {
  private final String file;
  private final Set<String> own;
  private final Set<String> handlers = new TreeSet<>();
  private final Set<String> controllers = new TreeSet<>();
  private final List<Problem> problems = new ArrayList<>();

  RuleExam(String file, Set<String> own, HandlerNames names) {
    this.file = file;
    this.own = own;
    for (HandlerNames.Name name : names.all().values()) {
      handlers.add(name.handler());
      controllers.add(name.controller());
    }
  }

  /** What is wrong with these rules; nothing if each can meet a request. */
  List<Problem> of(Collection<Rule> rules) {
    for (Rule rule : rules) {
      rule.per().forEach(name -> known(rule, "per", name));
      rule.match().patterns().forEach((name, patterns) -> look(rule, "match", name, patterns));
      for (LimitOverride override : rule.overrides()) {
        override
            .when()
            .patterns()
            .forEach((name, patterns) -> look(rule, "overrides", name, patterns));
      }
    }
    return problems;
  }

  private void look(Rule rule, String field, String name, List<String> patterns) {
    known(rule, field, name);
    for (String pattern : patterns) {
      String wrong = pattern.startsWith("!") ? "" : wrong(name, pattern);
      if (!wrong.isEmpty()) {
        add(rule, field, name + ": '" + pattern + "' meets no request: " + wrong);
      }
    }
  }

  private void known(Rule rule, String field, String name) {
    if (!Attribute.isKnown(name, own)) {
      add(
          rule,
          field,
          "'" + name + "' is nothing a request here has; " + Attribute.hint(name, own));
    }
  }

  private String wrong(String name, String pattern) {
    return switch (name) {
      case "endpoint" -> endpoint(pattern);
      case "method" -> method(pattern);
      case "path" -> path(pattern);
      case Attribute.HANDLER -> oneOf(pattern, handlers);
      case Attribute.CONTROLLER -> oneOf(pattern, controllers);
      default -> "";
    };
  }

  private static String endpoint(String pattern) {
    int space = pattern.indexOf(' ');
    if (space < 0) {
      boolean all = pattern.startsWith("*");
      return all ? "" : "it names no method; write GET " + pattern + ", or * " + pattern;
    }
    String method = method(pattern.substring(0, space));
    return method.isEmpty() ? path(pattern.substring(space + 1)) : method;
  }

  private static String method(String pattern) {
    return pattern.chars().anyMatch(Character::isLowerCase)
        ? "methods are in capitals; write " + pattern.toUpperCase(Locale.ROOT)
        : "";
  }

  private static String path(String pattern) {
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

  private static String oneOf(String pattern, Set<String> known) {
    return pattern.contains("*") || known.contains(pattern)
        ? ""
        : "there is no such one"
            + Nearest.to(pattern, known).map(near -> "; did you mean " + near + "?").orElse("");
  }

  private void add(Rule rule, String field, String reason) {
    problems.add(new Problem(file, 0, 0, rule.id(), field, reason));
  }
}
