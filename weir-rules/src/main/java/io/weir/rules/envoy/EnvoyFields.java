package io.weir.rules.envoy;

import io.weir.rules.FieldReader;
import io.weir.rules.text.Nearest;
import io.weir.rules.text.Problems;
import io.weir.rules.text.Written;
import io.weir.rules.text.Written.Field;
import io.weir.rules.text.Written.Fields;
import io.weir.rules.text.Written.Text;
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
record EnvoyFields(Problems problems, String path, Fields map, Map<String, Written> known) {

  /** Those of a map; any but the known ones are problems. */
  static EnvoyFields of(Problems problems, String path, Fields map, List<String> names) {
    Map<String, Written> known = new LinkedHashMap<>();
    for (Field field : map.fields()) {
      if (names.contains(field.name())) {
        known.put(field.name(), field.value());
      } else {
        problems.add(
            field.at(),
            path,
            field.name(),
            "is not known here; " + Nearest.hint(field.name(), names));
      }
    }
    return new EnvoyFields(problems, path, map, known);
  }

  /** The value of a field; one that is left empty is not there. */
  Optional<Written> value(String field) {
    return Optional.ofNullable(known.get(field))
        .filter(value -> !(value instanceof Text text && text.isNull()));
  }

  /** A text, or an empty one if it is not there. */
  String text(String field, String example) {
    return value(field).flatMap(value -> in(field).text(value, example)).orElse("");
  }

  boolean truth(String field) {
    return value(field).flatMap(value -> in(field).truth(value)).orElse(false);
  }

  /** As others read it, at the place of the field if it is there. */
  FieldReader in(String field) {
    return new FieldReader(problems, path, field);
  }

  void wrong(String field, String reason) {
    in(field).wrong(value(field).map(Written::at).orElse(map.at()), reason);
  }
}
