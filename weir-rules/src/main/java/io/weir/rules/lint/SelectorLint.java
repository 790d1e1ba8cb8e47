package io.weir.rules.lint;

import io.weir.internal.glob.IpBits;
import io.weir.rule.LimitOverride;
import io.weir.rule.Rule;
import io.weir.rule.RuleAction;
import io.weir.rules.lint.RuleLint.LintWarning;
import io.weir.rules.text.NameSuggestion;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Finds patterns and attributes that no request over HTTP has. */
final class SelectorLint {
  private static final String HEADER_PREFIX = "header.";
  private static final List<String> METHODS =
      List.of("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "CONNECT", "TRACE", "WS");
  private static final List<String> ATTRIBUTES =
      List.of("ip", "user", "api_key", "tier", "endpoint", "method", "path", "host");

  private final Rule rule;
  private final List<LintWarning> warnings = new ArrayList<>();

  private SelectorLint(Rule rule) {
    this.rule = rule;
  }

  static List<LintWarning> check(Rule rule) {
    SelectorLint lint = new SelectorLint(rule);
    lint.checkAll();
    return lint.warnings;
  }

  /** Finds attributes of header fields that endpoints do not report. */
  static List<LintWarning> checkHeaders(Rule rule, Collection<String> headers) {
    SelectorLint lint = new SelectorLint(rule);
    for (String name : attributes(rule)) {
      String field = name.startsWith(HEADER_PREFIX) ? name.substring(HEADER_PREFIX.length()) : "";
      if (!field.isEmpty() && headers.stream().noneMatch(field::equalsIgnoreCase)) {
        lint.warn(
            "uses " + name + ", which the endpoints of this node do not report",
            "add " + field + " to identity-headers");
      }
    }
    return lint.warnings;
  }

  private static Set<String> attributes(Rule rule) {
    Set<String> names = new LinkedHashSet<>(rule.match().patterns().keySet());
    names.addAll(rule.per());
    rule.overrides().forEach(override -> names.addAll(override.when().patterns().keySet()));
    return names;
  }

  private void checkAll() {
    if (rule.action() != RuleAction.LIMIT && rule.match().patterns().isEmpty()) {
      boolean blocks = rule.action() == RuleAction.BLOCK;
      warn(blocks ? "blocks every request" : "exempts every request from all rules", "add match");
    }
    for (String name : attributes(rule)) {
      checkName(name);
    }
    rule.match().patterns().forEach((name, patterns) -> checkPatterns("match", name, patterns));
    for (LimitOverride override : rule.overrides()) {
      override
          .when()
          .patterns()
          .forEach((name, patterns) -> checkPatterns("overrides", name, patterns));
    }
  }

  /** Reports near misses only: callers of the decision API may send any attribute. */
  private void checkName(String name) {
    if (ATTRIBUTES.contains(name)) {
      return;
    }
    String lower = name.toLowerCase(Locale.ROOT).replace('-', '_');
    String known =
        ATTRIBUTES.contains(lower)
            ? lower
            : lower.startsWith("headers.")
                ? HEADER_PREFIX + lower.substring("headers.".length()).replace('_', '-')
                : NameSuggestion.closest(lower, ATTRIBUTES).orElse("");
    if (!known.isEmpty()) {
      warn(
          "uses the attribute " + name + ", which endpoints do not report",
          "did you mean " + known + "?");
    }
  }

  private void checkPatterns(String field, String name, List<String> patterns) {
    for (String pattern : patterns) {
      String plain = pattern.startsWith("!") ? pattern.substring(1) : pattern;
      String remedy =
          switch (name) {
            case "endpoint" -> endpointRemedy(plain);
            case "path" -> pathRemedy(plain);
            case "method" -> methodRemedy(plain);
            case "host" -> hostRemedy(plain);
            case "ip" -> addressRemedy(plain);
            default -> "";
          };
      if (!remedy.isEmpty()) {
        warn(field + ": " + name + " '" + pattern + "' matches no request over HTTP", remedy);
      }
    }
  }

  private static String endpointRemedy(String pattern) {
    int space = pattern.indexOf(' ');
    if (pattern.startsWith("/")) {
      return pathRemedy(pattern);
    }
    if (pattern.contains("://")) {
      return "leave out scheme and host, for example GET /login, and match host";
    }
    if (space < 0) {
      boolean all = pattern.startsWith("*");
      return all ? "" : "write a method and a path, for example GET /" + pathPart(pattern);
    }
    String method = methodRemedy(pattern.substring(0, space));
    return method.isEmpty() ? pathRemedy(pattern.substring(space + 1)) : method;
  }

  private static String pathPart(String pattern) {
    int slash = pattern.indexOf('/');
    return slash < 0 ? pattern : pattern.substring(slash + 1);
  }

  private static String methodRemedy(String pattern) {
    String method = pattern.toUpperCase(Locale.ROOT);
    if (method.contains("*") || METHODS.contains(method)) {
      return "";
    }
    if (method.contains("|") || method.contains(",")) {
      return "write a list, one item for each method";
    }
    return NameSuggestion.closest(method, METHODS)
        .filter(known -> !known.equals(method))
        .map(known -> "did you mean " + known + "?")
        .orElse("");
  }

  private static String pathRemedy(String path) {
    if (path.contains("?")) {
      return "a query is not part of it; write " + path.substring(0, path.indexOf('?'));
    }
    if (path.contains("#")) {
      return "a fragment is not sent; write " + path.substring(0, path.indexOf('#'));
    }
    if (!path.startsWith("/") && !path.startsWith("*")) {
      return "a path begins with /; write /" + path;
    }
    if (path.length() > 1 && path.endsWith("/")) {
      return "leave out the / at the end, or write " + path + "**";
    }
    if (path.contains("//") || path.contains("/../") || path.contains("/./")) {
      return "write the path without //, . and ..";
    }
    if (path.contains("{") || path.contains("/:")) {
      return "write * for a part that varies";
    }
    return path.contains(" ") ? "write %20 for a space" : "";
  }

  private static String hostRemedy(String pattern) {
    if (pattern.contains("/") || (pattern.contains(":") && !pattern.contains("["))) {
      return "write the name of the host without scheme, port and path";
    }
    String lower = pattern.toLowerCase(Locale.ROOT);
    return lower.equals(pattern) ? "" : "write " + lower;
  }

  private static String addressRemedy(String pattern) {
    if (pattern.contains("*")) {
      return "";
    }
    IpBits.Network network = IpBits.parseNetwork(pattern);
    if (network == null) {
      return "write an address or a network, for example 10.0.0.0/8 or 2001:db8::/32";
    }
    return "";
  }

  private void warn(String text, String help) {
    warnings.add(new LintWarning(rule.id(), text, help));
  }
}
