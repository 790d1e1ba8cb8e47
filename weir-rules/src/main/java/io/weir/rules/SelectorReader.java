package io.weir.rules;

import io.weir.rule.Selector;
import io.weir.rules.text.Written;
import io.weir.rules.text.Written.Field;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads whom a rule or an override is for. */
record SelectorReader(FieldReader in) {
  private static final String EXAMPLE =
      "attributes and their values, such as {tier: [free, trial]}";

  Optional<Selector> read(Written value) {
    return in.fields(value, EXAMPLE)
        .flatMap(
            map -> {
              Map<String, List<String>> patterns = new LinkedHashMap<>();
              for (Field attribute : map.fields()) {
                patterns(attribute).ifPresent(some -> patterns.put(attribute.name(), some));
              }
              return patterns.size() == map.fields().size()
                  ? Optional.of(Selector.of(patterns))
                  : Optional.empty();
            });
  }

  /** The patterns of one attribute, if they can be. */
  private Optional<List<String>> patterns(Field attribute) {
    return in.several(
            attribute.value(), "a value for " + attribute.name() + ", or a list of values")
        .flatMap(several -> in.all(several, one -> in.text(one, "a value; null needs quotes")))
        .filter(some -> isSelector(attribute, some));
  }

  private boolean isSelector(Field attribute, List<String> patterns) {
    try {
      return !Selector.of(Map.of(attribute.name(), patterns)).patterns().isEmpty();
    } catch (IllegalArgumentException e) {
      in.wrong(attribute.value().at(), String.valueOf(e.getMessage()));
      return false;
    }
  }
}
