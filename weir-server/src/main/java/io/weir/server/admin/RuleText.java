package io.weir.server.admin;

import io.weir.rule.Rule;
import io.weir.rules.Rules;
import io.weir.rules.text.Problem;
import io.weir.rules.text.Problems;
import io.weir.rules.text.TextException;
import io.weir.rules.text.Unprintable;
import io.weir.rules.text.Written;
import io.weir.rules.text.Yaml;
import io.weir.server.web.JsonFields;
import java.util.List;

/** Rules as they are sent: a single one, or a list of them as in a file. */
final class RuleText {
  private static final String NAME = "body";

  private RuleText() {}

  /** The rules of a file. */
  static List<Rule> all(byte[] text) {
    return Rules.read(NAME, text);
  }

  /** The rule that is named. */
  static Rule one(byte[] text, String id) {
    Rule rule = Rules.readOne(NAME, text);
    if (!rule.id().equals(id)) {
      String reason = "is not the one of the path; write " + Problems.quote(id) + " in both";
      throw new TextException(List.of(new Problem(NAME, 0, 0, rule.id(), "id", reason)));
    }
    return rule;
  }

  /** The rule that is sent, whatever its name. */
  static Rule any(byte[] text) {
    return Rules.readOne(NAME, text);
  }

  /** Everything that is wrong with a rule or a file, whichever this is. */
  static Answer validate(byte[] text) {
    JsonFields answer = new JsonFields();
    try {
      Rule one = isOne(text) ? any(text) : null;
      int rules = one != null ? 1 : all(text).size();
      answer.truth("valid", true).number("rules", rules).list("problems", List.of());
      if (one != null) {
        answer.json("rule", Rules.toJson(one)).text("yaml", Rules.toYaml(one));
      }
    } catch (TextException e) {
      answer.truth("valid", false).json("problems", Answer.problems(e.problems()));
    }
    return Answer.ok(answer.end());
  }

  private static boolean isOne(byte[] text) {
    Problems unheard = new Problems(NAME);
    return Yaml.read(Unprintable.text(text, unheard), unheard)
        .filter(Written.Fields.class::isInstance)
        .map(Written.Fields.class::cast)
        .filter(top -> top.fields().stream().anyMatch(f -> f.name().matches("id|limit")))
        .isPresent();
  }
}
