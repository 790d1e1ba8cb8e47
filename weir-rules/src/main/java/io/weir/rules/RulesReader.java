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

/** Reads a text with a list of rules or a single rule, and collects its problems. */
final class RulesReader {
  private static final String EXAMPLE_RULE = "{id: api, per: [user], limit: 100/minute}";
  private static final String RULES_ADVICE =
      "for example rules: [" + EXAMPLE_RULE + "], or rules: [] for none";

  private final ProblemCollector problems;
  private final List<Rule> rules = new ArrayList<>();
  private final Map<String, SourcePosition> idPositions = new HashMap<>();

  RulesReader(ProblemCollector problems) {
    this.problems = problems;
  }

  /** Returns the rules of a text with a list of rules. */
  static List<Rule> readRules(String name, String text) {
    return readPlainJson(name, text, RulesReader::readDocument)
        .orElseGet(() -> new RulesReader(new ProblemCollector(name)).readRules(text));
  }

  /** Returns the rule of a text with a single rule. */
  static Rule readRule(String name, String text) {
    return readPlainJson(name, text, RulesReader::readRule)
        .map(rules -> rules.get(0))
        .orElseGet(() -> new RulesReader(new ProblemCollector(name)).readRule(text));
  }

  /** Reads plain JSON; returns empty if the text is not plain JSON, or has any problem. */
  private static Optional<List<Rule>> readPlainJson(
      String name, String text, BiConsumer<RulesReader, ParsedValue> reading) {
    return FastJsonParser.parse(text)
        .flatMap(
            tree -> {
              ProblemCollector problems = new ProblemCollector(name);
              RulesReader reader = new RulesReader(problems);
              reading.accept(reader, tree);
              return problems.hasProblems() ? Optional.empty() : Optional.of(reader.rules);
            });
  }

  /** As {@link #readRules(String, String)}, for any YAML. */
  List<Rule> readRules(String text) {
    Optional<ParsedValue> tree = YamlReader.read(text, problems);
    if (tree.isEmpty()) {
      throw problems.fatal(SourcePosition.START, "must contain rules (was empty), " + RULES_ADVICE);
    }
    readDocument(tree.get());
    return checkedRules();
  }

  /** As {@link #readRule(String, String)}, for any YAML. */
  Rule readRule(String text) {
    Optional<ParsedValue> tree = YamlReader.read(text, problems);
    if (tree.isEmpty()) {
      throw problems.fatal(
          SourcePosition.START, "must contain a rule (was empty), for example " + EXAMPLE_RULE);
    }
    readRule(tree.get());
    return checkedRules().get(0);
  }

  private void readDocument(ParsedValue tree) {
    if (tree instanceof MapValue top) {
      readTopLevelFields(top);
    } else {
      reportWrongType(tree, "", "a map with the field rules, " + RULES_ADVICE);
    }
  }

  private void readTopLevelFields(MapValue top) {
    boolean hasRules = false;
    for (MapEntry field : top.fields()) {
      hasRules |= NameSuggestion.closest(field.name(), List.of("rules")).isPresent();
      if (!field.name().equals("rules")) {
        problems.add(
            field.position(),
            "",
            field.name(),
            "is not a field here; " + NameSuggestion.hint(field.name(), List.of("rules")));
      } else if (field.value() instanceof ListValue list) {
        list.items().forEach(this::readRule);
      } else {
        reportWrongType(
            field.value(),
            "rules",
            "a list of rules, for example [" + EXAMPLE_RULE + "], or [] for none");
      }
    }
    if (!hasRules) {
      problems.add(top.position(), "must have the field rules, " + RULES_ADVICE);
    }
  }

  private void readRule(ParsedValue value) {
    if (!(value instanceof MapValue map)) {
      reportWrongType(value, "rules", "a rule, for example " + EXAMPLE_RULE);
      return;
    }
    RuleReader reader = new RuleReader(problems, map);
    reader.read().ifPresent(rules::add);
    SourcePosition at = reader.positionOf("id");
    SourcePosition first = reader.id().isEmpty() ? null : idPositions.putIfAbsent(reader.id(), at);
    if (first != null) {
      problems.add(
          at, reader.id(), "id", "must be unique (was already used in line " + first.line() + ")");
    }
  }

  private void reportWrongType(ParsedValue value, String field, String expected) {
    if (!(value instanceof ParsedValue.InvalidValue)) {
      problems.add(value.position(), "", field, FieldReader.mustBe(expected, value.typeName()));
    }
  }

  private List<Rule> checkedRules() {
    if (problems.hasProblems()) {
      throw problems.toException();
    }
    return rules;
  }
}
