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
import java.util.function.BiConsumer;

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
  static List<Rule> rules(String name, String text) {
    return quickly(name, text, RulesReader::list)
        .orElseGet(() -> new RulesReader(new Problems(name)).rules(text));
  }

  /** The rule of a text that is one. */
  static Rule rule(String name, String text) {
    return quickly(name, text, RulesReader::rule)
        .map(rules -> rules.get(0))
        .orElseGet(() -> new RulesReader(new Problems(name)).rule(text));
  }

  /** What is read of plain JSON; nothing if it is not, or has anything wrong. */
  private static Optional<List<Rule>> quickly(
      String name, String text, BiConsumer<RulesReader, Written> read) {
    return JsonTree.read(text)
        .flatMap(
            tree -> {
              Problems problems = new Problems(name);
              RulesReader reader = new RulesReader(problems);
              read.accept(reader, tree);
              return problems.any() ? Optional.empty() : Optional.of(reader.rules);
            });
  }

  /** As {@link #rules(String, String)}, of any YAML. */
  List<Rule> rules(String text) {
    Optional<Written> tree = Yaml.read(text, problems);
    if (tree.isEmpty()) {
      throw problems.fatal(Place.START, "nothing is written here; " + ADVICE);
    }
    list(tree.get());
    return finished();
  }

  /** As {@link #rule(String, String)}, of any YAML. */
  Rule rule(String text) {
    Optional<Written> tree = Yaml.read(text, problems);
    if (tree.isEmpty()) {
      throw problems.fatal(Place.START, "nothing is written here; write a rule, such as " + RULE);
    }
    rule(tree.get());
    return finished().get(0);
  }

  private void list(Written tree) {
    if (tree instanceof Fields top) {
      top(top);
    } else {
      unlike(tree, "", ADVICE);
    }
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
