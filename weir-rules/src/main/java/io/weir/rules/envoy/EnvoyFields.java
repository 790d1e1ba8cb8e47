package io.weir.rules.envoy;

import io.weir.rules.FieldReader;
import io.weir.rules.text.NameSuggestion;
import io.weir.rules.text.ParsedValue;
import io.weir.rules.text.ParsedValue.MapEntry;
import io.weir.rules.text.ParsedValue.MapValue;
import io.weir.rules.text.ParsedValue.ScalarValue;
import io.weir.rules.text.ProblemCollector;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The fields of one map of an Envoy rate limit configuration.
 *
 * @param path the enclosing descriptors, for error messages
 * @param known the supported fields of the map
 */
record EnvoyFields(
    ProblemCollector problems, String path, MapValue map, Map<String, ParsedValue> known) {

  /** Returns the fields of a map; reports fields with other names. */
  static EnvoyFields of(ProblemCollector problems, String path, MapValue map, List<String> names) {
    Map<String, ParsedValue> known = new LinkedHashMap<>();
    for (MapEntry field : map.fields()) {
      if (names.contains(field.name())) {
        known.put(field.name(), field.value());
      } else {
        problems.add(
            field.position(),
            path,
            field.name(),
            "is not a field here; " + NameSuggestion.hint(field.name(), names));
      }
    }
    return new EnvoyFields(problems, path, map, known);
  }

  /** Returns the value of a field; empty if the field is missing or null. */
  Optional<ParsedValue> value(String field) {
    return Optional.ofNullable(known.get(field))
        .filter(value -> !(value instanceof ScalarValue text && text.isNull()));
  }

  /** Returns the text of a field, or an empty string if the field is missing. */
  String text(String field, String expected) {
    return value(field).flatMap(value -> fieldReader(field).text(value, expected)).orElse("");
  }

  boolean booleanValue(String field) {
    return value(field).flatMap(value -> fieldReader(field).booleanValue(value)).orElse(false);
  }

  /** Returns a reader that reports problems under the name of a field. */
  FieldReader fieldReader(String field) {
    return new FieldReader(problems, path, field);
  }

  void report(String field, String reason) {
    fieldReader(field)
        .report(value(field).map(ParsedValue::position).orElse(map.position()), reason);
  }
}
