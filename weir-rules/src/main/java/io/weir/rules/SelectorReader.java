package io.weir.rules;

import io.weir.rule.Selector;
import io.weir.rules.text.Written;
import io.weir.rules.text.Written.Field;
import io.weir.rules.text.Written.Fields;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads whom a rule or an override is for. */
record SelectorReader(FieldReader in) {
  private static final String EXAMPLE =
      "attributes and their values, such as {tier: [free, trial]}";

  Optional<Selector> read(Written value) {
    return in.fields(value, EXAMPLE).flatMap(this::selector);
  }

  private Optional<Selector> selector(Fields map) {
    Map<String, List<String>> patterns = new LinkedHashMap<>();
    for (Field attribute : map.fields()) {
      patterns(attribute).ifPresent(some -> patterns.put(attribute.name(), some));
    }
    try {
      Selector all = Selector.of(patterns);
      return patterns.size() == map.fields().size() ? Optional.of(all) : Optional.empty();
    } catch (IllegalArgumentException e) {
      map.fields().forEach(attribute -> explain(attribute, patterns.get(attribute.name())));
      return Optional.empty();
    }
  }

  private Optional<List<String>> patterns(Field attribute) {
    return in.several(
            attribute.value(), "a value for " + attribute.name() + ", or a list of values")
        .flatMap(several -> in.all(several, one -> in.text(one, "a value; null needs quotes")));
  }

  /** Says of an attribute that cannot be what it is that cannot. */
  private void explain(Field attribute, @Nullable List<String> patterns) {
    try {
      if (patterns != null) {
        var unused = Selector.of(Map.of(attribute.name(), patterns));
      }
    } catch (IllegalArgumentException e) {
      in.wrong(attribute.value().at(), String.valueOf(e.getMessage()));
    }
  }
}
