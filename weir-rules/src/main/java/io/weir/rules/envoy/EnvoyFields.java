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
 * The fields of one map of a configuration.
 *
 * @param path the descriptors it is in, as they are told where something is wrong
 * @param known those of its fields that mean something
 */
record EnvoyFields(
    ProblemCollector problems, String path, MapValue map, Map<String, ParsedValue> known) {

  /** Those of a map; any but the known ones are problems. */
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
            "is not known here; " + NameSuggestion.hint(field.name(), names));
      }
    }
    return new EnvoyFields(problems, path, map, known);
  }

  /** The value of a field; one that is left empty is not there. */
  Optional<ParsedValue> value(String field) {
    return Optional.ofNullable(known.get(field))
        .filter(value -> !(value instanceof ScalarValue text && text.isNull()));
  }

  /** A text, or an empty one if it is not there. */
  String text(String field, String example) {
    return value(field).flatMap(value -> fieldReader(field).text(value, example)).orElse("");
  }

  boolean booleanValue(String field) {
    return value(field).flatMap(value -> fieldReader(field).booleanValue(value)).orElse(false);
  }

  /** As others read it, at the place of the field if it is there. */
  FieldReader fieldReader(String field) {
    return new FieldReader(problems, path, field);
  }

  void report(String field, String reason) {
    fieldReader(field)
        .report(value(field).map(ParsedValue::position).orElse(map.position()), reason);
  }
}
