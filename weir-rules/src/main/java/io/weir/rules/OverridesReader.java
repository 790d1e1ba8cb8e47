package io.weir.rules;

import io.weir.rule.LimitOverride;
import io.weir.rule.Rate;
import io.weir.rule.Rule;
import io.weir.rule.RuleException;
import io.weir.rule.Selector;
import io.weir.rules.text.NameSuggestion;
import io.weir.rules.text.ParsedValue;
import io.weir.rules.text.ParsedValue.ListValue;
import io.weir.rules.text.ParsedValue.MapEntry;
import io.weir.rules.text.ParsedValue.MapValue;
import io.weir.rules.text.ProblemCollector;
import io.weir.rules.text.SourcePosition;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads the overrides of a rule. */
record OverridesReader(FieldReader fieldReader) {
  private static final List<String> FIELD_NAMES = List.of("when", "limit", "burst", "in-flight");
  private static final String EXAMPLE = "{when: {user: acme}, limit: 6000/minute}";
  private static final String LIST = "a list, for example [" + EXAMPLE + "]";

  /** An override and the map it was read from. */
  record PlacedOverride(MapValue fields, LimitOverride override) {}

  /** Reads all overrides; returns empty if one of them cannot be read. */
  Optional<List<PlacedOverride>> read(ParsedValue value) {
    if (!(value instanceof ListValue list)) {
      fieldReader
          .fields(value, LIST)
          .ifPresent(
              map -> fieldReader.report(map.position(), FieldReader.mustBe(LIST, map.typeName())));
      return Optional.empty();
    }
    return fieldReader.readAll(
        list.items(),
        item ->
            fieldReader.fields(item, "a map, for example " + EXAMPLE).flatMap(this::readOverride));
  }

  /** Reports the overrides that the rule rejects, each at its position. */
  void reportInvalidOverrides(Rule rule, List<PlacedOverride> overrides) {
    for (PlacedOverride placed : overrides) {
      try {
        rule.edit().overrides(placed.override()).build();
      } catch (RuleException e) {
        String field = e.field().equals("burst") ? "burst" : "limit";
        SourcePosition at =
            placed.fields.fields().stream()
                .filter(f -> f.name().equals(field))
                .map(f -> f.value().position())
                .findFirst()
                .orElse(placed.fields.position());
        fieldReader.report(at, field.equals("burst") ? "burst " + e.reason() : e.reason());
      }
    }
  }

  private Optional<PlacedOverride> readOverride(MapValue map) {
    Optional<Selector> when = Optional.empty();
    Optional<List<Rate>> rates = Optional.empty();
    Optional<Long> burst = Optional.of(0L);
    Optional<Integer> inFlight = Optional.of(0);
    List<String> names = new ArrayList<>();
    for (MapEntry field : map.fields()) {
      ParsedValue value = field.value();
      names.add(NameSuggestion.closest(field.name(), FIELD_NAMES).orElse(field.name()));
      switch (field.name()) {
        case "when" -> when = new SelectorReader(fieldReader).read(value);
        case "limit" -> rates = RuleReader.readRates(fieldReader, value);
        case "burst" ->
            burst = fieldReader.wholeNumber(value).filter(size -> checkBurst(value, size));
        case "in-flight" -> inFlight = RuleReader.readSlots(fieldReader, value);
        default -> {
          fieldReader.report(
              field.position(),
              ProblemCollector.quote(field.name())
                  + " is not a field of an override; "
                  + NameSuggestion.hint(field.name(), FIELD_NAMES));
          burst = Optional.empty();
        }
      }
    }
    if (!names.contains("when")) {
      fieldReader.report(map.position(), "when must be set, for example when: {user: acme}");
    }
    if (names.contains("in-flight") && !names.contains("limit")) {
      rates = Optional.of(List.of());
    } else if (!names.contains("limit")) {
      fieldReader.report(map.position(), "limit must be set, for example limit: 6000/minute");
    }
    if (when.isEmpty() || rates.isEmpty() || burst.isEmpty() || inFlight.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          new PlacedOverride(
              map, new LimitOverride(when.get(), rates.get(), burst.get(), inFlight.get())));
    } catch (IllegalArgumentException e) {
      fieldReader.report(map.position(), String.valueOf(e.getMessage()));
      return Optional.empty();
    }
  }

  private boolean checkBurst(ParsedValue value, long size) {
    if (size < 1) {
      fieldReader.report(value.position(), "burst must be at least 1 (was " + size + ")");
    }
    return size >= 1;
  }
}
