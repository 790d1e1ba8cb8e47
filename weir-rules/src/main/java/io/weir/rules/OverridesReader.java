package io.weir.rules;

import io.weir.rule.LimitOverride;
import io.weir.rule.Rate;
import io.weir.rule.Rule;
import io.weir.rule.RuleException;
import io.weir.rule.Selector;
import io.weir.rules.text.Nearest;
import io.weir.rules.text.Place;
import io.weir.rules.text.Problems;
import io.weir.rules.text.Written;
import io.weir.rules.text.Written.Field;
import io.weir.rules.text.Written.Fields;
import io.weir.rules.text.Written.Items;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads the overrides of a rule. */
record OverridesReader(FieldReader in) {
  private static final List<String> KNOWN = List.of("when", "limit", "burst");
  private static final String EXAMPLE = "[{when: {user: acme}, limit: 6000/minute}]";

  /** An override and the map it is written as. */
  record Placed(Fields map, LimitOverride override) {}

  /** All of them, or nothing if one cannot be read. */
  Optional<List<Placed>> read(Written value) {
    if (!(value instanceof Items list)) {
      in.fields(value, "a list, such as " + EXAMPLE)
          .ifPresent(map -> in.wrong(map.at(), "is a map; write a list, such as " + EXAMPLE));
      return Optional.empty();
    }
    return in.all(list.items(), item -> in.fields(item, EXAMPLE).flatMap(this::override));
  }

  /** Names the overrides that the rule cannot have, each at its place. */
  void explain(Rule without, List<Placed> overrides) {
    for (Placed one : overrides) {
      try {
        without.edit().overrides(one.override()).build();
      } catch (RuleException e) {
        String field = e.field().equals("burst") ? "burst" : "limit";
        Place at =
            one.map.fields().stream()
                .filter(f -> f.name().equals(field))
                .map(f -> f.value().at())
                .findFirst()
                .orElse(one.map.at());
        in.wrong(at, field.equals("burst") ? "burst " + e.reason() : e.reason());
      }
    }
  }

  private Optional<Placed> override(Fields map) {
    Optional<Selector> when = Optional.empty();
    Optional<List<Rate>> rates = Optional.empty();
    Optional<Long> burst = Optional.of(0L);
    List<String> names = new ArrayList<>();
    for (Field field : map.fields()) {
      Written value = field.value();
      names.add(Nearest.to(field.name(), KNOWN).orElse(field.name()));
      switch (field.name()) {
        case "when" -> when = new SelectorReader(in).read(value);
        case "limit" -> rates = RuleReader.rates(in, value);
        case "burst" -> burst = in.whole(value).filter(size -> isBurst(value, size));
        default -> {
          in.wrong(
              field.at(),
              Problems.quote(field.name())
                  + " is not a field of an override; "
                  + Nearest.hint(field.name(), KNOWN));
          burst = Optional.empty();
        }
      }
    }
    if (!names.contains("when")) {
      in.wrong(map.at(), "when is missing; write whom it is for, such as when: {user: acme}");
    }
    if (!names.contains("limit")) {
      in.wrong(map.at(), "limit is missing; write one, such as limit: 6000/minute");
    }
    if (when.isEmpty() || rates.isEmpty() || burst.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(new Placed(map, new LimitOverride(when.get(), rates.get(), burst.get())));
    } catch (IllegalArgumentException e) {
      in.wrong(map.at(), String.valueOf(e.getMessage()));
      return Optional.empty();
    }
  }

  private boolean isBurst(Written value, long size) {
    if (size < 1) {
      in.wrong(value.at(), "burst of " + size + " cannot be; write at least 1");
    }
    return size >= 1;
  }
}
