package io.weir.admin;

import io.weir.internal.JsonObjectBuilder;
import io.weir.rule.Rule;
import io.weir.rules.Rules;
import io.weir.rules.lint.RuleLint;
import io.weir.rules.text.ConfigurationProblem;
import io.weir.rules.text.InvalidConfigurationException;
import io.weir.rules.text.ParsedValue;
import io.weir.rules.text.ProblemCollector;
import io.weir.rules.text.TextDecoder;
import io.weir.rules.text.YamlReader;
import java.util.List;

/** Parses request bodies with a single rule or a whole rules file, as JSON or YAML. */
final class RuleRequestBody {
  private static final String SOURCE_NAME = "body";

  private RuleRequestBody() {}

  /** Parses a rules file. */
  static List<Rule> readAll(byte[] text) {
    return Rules.read(SOURCE_NAME, text);
  }

  /** Parses one rule, which must have this id. */
  static Rule readNamed(byte[] text, String id) {
    Rule rule = Rules.readOne(SOURCE_NAME, text);
    if (!rule.id().equals(id)) {
      String reason =
          "must equal the id in the path; write " + ProblemCollector.quote(id) + " in both";
      throw new InvalidConfigurationException(
          List.of(new ConfigurationProblem(SOURCE_NAME, 0, 0, rule.id(), "id", reason)));
    }
    return rule;
  }

  /** Parses one rule with any id. */
  static Rule readOne(byte[] text) {
    return Rules.readOne(SOURCE_NAME, text);
  }

  /** Validates a rule or a rules file and lists all problems. */
  static AdminResponse validate(byte[] text) {
    JsonObjectBuilder response = new JsonObjectBuilder();
    try {
      Rule single = isSingleRule(text) ? readOne(text) : null;
      List<Rule> rules = single != null ? List.of(single) : readAll(text);
      response
          .bool("valid", true)
          .number("rules", rules.size())
          .rawJsonList("problems", List.of())
          .rawJsonList("warnings", warnings(rules));
      if (single != null) {
        response.rawJson("rule", Rules.toJson(single)).text("yaml", Rules.toYaml(single));
      }
    } catch (InvalidConfigurationException e) {
      response.bool("valid", false).rawJson("problems", AdminResponse.problemsJson(e.problems()));
    }
    return AdminResponse.ok(response.build());
  }

  private static List<String> warnings(List<Rule> rules) {
    return RuleLint.check(rules).stream()
        .map(
            warning ->
                new JsonObjectBuilder()
                    .text("rule", warning.rule())
                    .text("reason", warning.text() + "; " + warning.help())
                    .build())
        .toList();
  }

  private static boolean isSingleRule(byte[] text) {
    ProblemCollector ignored = new ProblemCollector(SOURCE_NAME);
    return YamlReader.read(TextDecoder.decode(text, ignored), ignored)
        .filter(ParsedValue.MapValue.class::isInstance)
        .map(ParsedValue.MapValue.class::cast)
        .filter(top -> top.fields().stream().anyMatch(f -> f.name().matches("id|limit")))
        .isPresent();
  }
}
