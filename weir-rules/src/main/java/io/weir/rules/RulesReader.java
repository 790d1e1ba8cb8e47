package io.weir.rules;

import io.weir.rule.Rule;
import io.weir.rules.text.Nearest;
import io.weir.rules.text.Place;
import io.weir.rules.text.Problems;
import io.weir.rules.text.Written;
import io.weir.rules.text.Written.Field;
import io.weir.rules.text.Written.Fields;
import io.weir.rules.text.Written.Items;
import io.weir.rules.text.Yaml;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads a whole text of rules, and collects what is wrong with it. */
final class RulesReader {
  private static final String RULE = "{id: api, per: [user], limit: 100/minute}";
  private static final String ADVICE = "write rules: and a list of rules, or rules: [] for none";

  private final Problems problems;
  private final List<Rule> rules = new ArrayList<>();
  private final Map<String, Place> ids = new HashMap<>();

  RulesReader(Problems problems) {
    this.problems = problems;
  }

  /** The rules of a text that has a list of them. */
  List<Rule> rules(String text) {
    Optional<Written> tree = Yaml.read(text, problems);
    if (tree.isEmpty()) {
      throw problems.fatal(Place.START, "nothing is written here; " + ADVICE);
    }
    if (tree.get() instanceof Fields top) {
      top(top);
    } else {
      unlike(tree.get(), "", ADVICE);
    }
    return finished();
  }

  /** The rule of a text that is one. */
  Rule rule(String text) {
    Optional<Written> tree = Yaml.read(text, problems);
    if (tree.isEmpty()) {
      throw problems.fatal(Place.START, "nothing is written here; write a rule, such as " + RULE);
    }
    rule(tree.get());
    return finished().get(0);
  }

  private void top(Fields top) {
    boolean meant = false;
    for (Field field : top.fields()) {
      meant |= Nearest.to(field.name(), List.of("rules")).isPresent();
      if (!field.name().equals("rules")) {
        problems.add(
            field.at(),
            "",
            field.name(),
            "is not known here; " + Nearest.hint(field.name(), List.of("rules")));
      } else if (field.value() instanceof Items list) {
        list.items().forEach(this::rule);
      } else {
        unlike(field.value(), "rules", "write a list of rules, or [] for none");
      }
    }
    if (!meant) {
      problems.add(top.at(), "has no rules; " + ADVICE);
    }
  }

  private void rule(Written written) {
    if (!(written instanceof Fields map)) {
      unlike(written, "rules", "write a rule, such as " + RULE);
      return;
    }
    RuleReader reader = new RuleReader(problems, map);
    reader.read().ifPresent(rules::add);
    Place at = reader.place("id");
    Place first = reader.id().isEmpty() ? null : ids.putIfAbsent(reader.id(), at);
    if (first != null) {
      problems.add(
          at,
          reader.id(),
          "id",
          "is used already in line " + first.line() + "; write another for one of them");
    }
  }

  private void unlike(Written value, String field, String advice) {
    if (!(value instanceof Written.Refused)) {
      problems.add(value.at(), "", field, "is " + value.kind() + "; " + advice);
    }
  }

  private List<Rule> finished() {
    if (problems.any()) {
      throw problems.exception();
    }
    return rules;
  }
}
