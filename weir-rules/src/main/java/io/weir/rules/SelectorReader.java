package io.weir.rules;

import io.weir.rule.Selector;
import io.weir.rules.text.ParsedValue;
import io.weir.rules.text.ParsedValue.MapEntry;
import io.weir.rules.text.ParsedValue.MapValue;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads the selector of a rule or an override: which attribute values it matches. */
record SelectorReader(FieldReader fieldReader) {
  private static final String EXAMPLE =
      "a map of attributes to values, for example {tier: [free, trial]}";

  Optional<Selector> read(ParsedValue value) {
    return fieldReader.fields(value, EXAMPLE).flatMap(this::readSelector);
  }

  private Optional<Selector> readSelector(MapValue map) {
    Map<String, List<String>> patterns = new LinkedHashMap<>();
    for (MapEntry attribute : map.fields()) {
      readPatterns(attribute).ifPresent(values -> patterns.put(attribute.name(), values));
    }
    try {
      Selector all = Selector.of(patterns);
      return patterns.size() == map.fields().size() ? Optional.of(all) : Optional.empty();
    } catch (IllegalArgumentException e) {
      map.fields()
          .forEach(attribute -> reportInvalidAttribute(attribute, patterns.get(attribute.name())));
      return Optional.empty();
    }
  }

  private Optional<List<String>> readPatterns(MapEntry attribute) {
    return fieldReader
        .oneOrMany(attribute.value(), "a value for " + attribute.name() + ", or a list of values")
        .flatMap(
            several ->
                fieldReader.readAll(
                    several,
                    item ->
                        fieldReader.text(
                            item, "a value, for example free, or \"null\" in quotes")));
  }

  /** Reports the problem of an attribute, if it is invalid. */
  private void reportInvalidAttribute(MapEntry attribute, @Nullable List<String> patterns) {
    try {
      if (patterns != null) {
        var unused = Selector.of(Map.of(attribute.name(), patterns));
      }
    } catch (IllegalArgumentException e) {
      fieldReader.report(attribute.value().position(), String.valueOf(e.getMessage()));
    }
  }
}
