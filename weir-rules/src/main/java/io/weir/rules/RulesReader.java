package io.weir.rules;

import io.weir.rule.Rule;
import io.weir.rules.text.NameSuggestion;
import io.weir.rules.text.ParsedValue;
import io.weir.rules.text.ParsedValue.ListValue;
import io.weir.rules.text.ParsedValue.MapEntry;
import io.weir.rules.text.ParsedValue.MapValue;
import io.weir.rules.text.ProblemCollector;
import io.weir.rules.text.SourcePosition;
import io.weir.rules.text.YamlReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;

/** Reads a whole text of rules, and collects what is wrong with it. */
final class RulesReader {
  private static final String EXAMPLE_RULE = "{id: api, per: [user], limit: 100/minute}";
  private static final String RULES_ADVICE =
      "write rules: and a list of rules, or rules: [] for none";

  private final ProblemCollector problems;
  private final List<Rule> rules = new ArrayList<>();
  private final Map<String, SourcePosition> idPositions = new HashMap<>();

  RulesReader(ProblemCollector problems) {
    this.problems = problems;
  }

  /** The rules of a text that has a list of them. */
  static List<Rule> readRules(String name, String text) {
    return readPlainJson(name, text, RulesReader::readDocument)
        .orElseGet(() -> new RulesReader(new ProblemCollector(name)).readRules(text));
  }

  /** The rule of a text that is one. */
  static Rule readRule(String name, String text) {
    return readPlainJson(name, text, RulesReader::readRule)
        .map(rules -> rules.get(0))
        .orElseGet(() -> new RulesReader(new ProblemCollector(name)).readRule(text));
  }

  /** What is read of plain JSON; nothing if it is not, or has anything wrong. */
  private static Optional<List<Rule>> readPlainJson(
      String name, String text, BiConsumer<RulesReader, ParsedValue> read) {
    return FastJsonParser.parse(text)
        .flatMap(
            tree -> {
              ProblemCollector problems = new ProblemCollector(name);
              RulesReader reader = new RulesReader(problems);
              read.accept(reader, tree);
              return problems.hasProblems() ? Optional.empty() : Optional.of(reader.rules);
            });
  }

  /** As {@link #readRules(String, String)}, of any YAML. */
  List<Rule> readRules(String text) {
    Optional<ParsedValue> tree = YamlReader.read(text, problems);
    if (tree.isEmpty()) {
      throw problems.fatal(SourcePosition.START, "nothing is written here; " + RULES_ADVICE);
    }
    readDocument(tree.get());
    return checkedRules();
  }

  /** As {@link #readRule(String, String)}, of any YAML. */
  Rule readRule(String text) {
    Optional<ParsedValue> tree = YamlReader.read(text, problems);
    if (tree.isEmpty()) {
      throw problems.fatal(
          SourcePosition.START, "nothing is written here; write a rule, such as " + EXAMPLE_RULE);
    }
    readRule(tree.get());
    return checkedRules().get(0);
  }

  private void readDocument(ParsedValue tree) {
    if (tree instanceof MapValue top) {
      readTopLevelFields(top);
    } else {
      reportWrongType(tree, "", RULES_ADVICE);
    }
  }

  private void readTopLevelFields(MapValue top) {
    boolean meant = false;
    for (MapEntry field : top.fields()) {
      meant |= NameSuggestion.closest(field.name(), List.of("rules")).isPresent();
      if (!field.name().equals("rules")) {
        problems.add(
            field.position(),
            "",
            field.name(),
            "is not known here; " + NameSuggestion.hint(field.name(), List.of("rules")));
      } else if (field.value() instanceof ListValue list) {
        list.items().forEach(this::readRule);
      } else {
        reportWrongType(field.value(), "rules", "write a list of rules, or [] for none");
      }
    }
    if (!meant) {
      problems.add(top.position(), "has no rules; " + RULES_ADVICE);
    }
  }

  private void readRule(ParsedValue written) {
    if (!(written instanceof MapValue map)) {
      reportWrongType(written, "rules", "write a rule, such as " + EXAMPLE_RULE);
      return;
    }
    RuleReader reader = new RuleReader(problems, map);
    reader.read().ifPresent(rules::add);
    SourcePosition at = reader.positionOf("id");
    SourcePosition first = reader.id().isEmpty() ? null : idPositions.putIfAbsent(reader.id(), at);
    if (first != null) {
      problems.add(
          at,
          reader.id(),
          "id",
          "is used already in line " + first.line() + "; write another for one of them");
    }
  }

  private void reportWrongType(ParsedValue value, String field, String advice) {
    if (!(value instanceof ParsedValue.InvalidValue)) {
      problems.add(value.position(), "", field, "is " + value.typeName() + "; " + advice);
    }
  }

  private List<Rule> checkedRules() {
    if (problems.hasProblems()) {
      throw problems.toException();
    }
    return rules;
  }
}
