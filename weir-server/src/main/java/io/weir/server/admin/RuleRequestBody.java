package io.weir.server.admin;

import io.weir.rule.Rule;
import io.weir.rules.Rules;
import io.weir.rules.text.ConfigurationProblem;
import io.weir.rules.text.InvalidConfigurationException;
import io.weir.rules.text.ParsedValue;
import io.weir.rules.text.ProblemCollector;
import io.weir.rules.text.TextDecoder;
import io.weir.rules.text.YamlReader;
import io.weir.server.web.JsonObjectBuilder;
import java.util.List;

/** Rules as they are sent: a single one, or a list of them as in a file. */
final class RuleRequestBody {
  private static final String SOURCE_NAME = "body";

  private RuleRequestBody() {}

  /** The rules of a file. */
  static List<Rule> readAll(byte[] text) {
    return Rules.read(SOURCE_NAME, text);
  }

  /** The rule that is named. */
  static Rule readNamed(byte[] text, String id) {
    Rule rule = Rules.readOne(SOURCE_NAME, text);
    if (!rule.id().equals(id)) {
      String reason =
          "is not the one of the path; write " + ProblemCollector.quote(id) + " in both";
      throw new InvalidConfigurationException(
          List.of(new ConfigurationProblem(SOURCE_NAME, 0, 0, rule.id(), "id", reason)));
    }
    return rule;
  }

  /** The rule that is sent, whatever its name. */
  static Rule readOne(byte[] text) {
    return Rules.readOne(SOURCE_NAME, text);
  }

  /** Everything that is wrong with a rule or a file, whichever this is. */
  static AdminResponse validate(byte[] text) {
    JsonObjectBuilder answer = new JsonObjectBuilder();
    try {
      Rule one = isSingleRule(text) ? readOne(text) : null;
      int rules = one != null ? 1 : readAll(text).size();
      answer.bool("valid", true).number("rules", rules).rawJsonList("problems", List.of());
      if (one != null) {
        answer.rawJson("rule", Rules.toJson(one)).text("yaml", Rules.toYaml(one));
      }
    } catch (InvalidConfigurationException e) {
      answer.bool("valid", false).rawJson("problems", AdminResponse.problemsJson(e.problems()));
    }
    return AdminResponse.ok(answer.build());
  }

  private static boolean isSingleRule(byte[] text) {
    ProblemCollector unheard = new ProblemCollector(SOURCE_NAME);
    return YamlReader.read(TextDecoder.decode(text, unheard), unheard)
        .filter(ParsedValue.MapValue.class::isInstance)
        .map(ParsedValue.MapValue.class::cast)
        .filter(top -> top.fields().stream().anyMatch(f -> f.name().matches("id|limit")))
        .isPresent();
  }
}
