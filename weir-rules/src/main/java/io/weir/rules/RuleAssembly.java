package io.weir.rules;

import io.weir.rule.LimitOverride;
import io.weir.rule.Rule;
import io.weir.rule.RuleBuilder;
import io.weir.rule.RuleException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * The making of a rule, a step for each field.
 *
 * <p>A field that the rule refuses is named; the rule is then made without it, to find the next.
 */
final class RuleAssembly {
  private final String id;
  private final Map<String, Consumer<RuleBuilder>> steps = new LinkedHashMap<>();

  RuleAssembly(String id) {
    this.id = id;
  }

  <T> void add(String field, Optional<T> value, RuleFieldSetter<T> setter) {
    value.ifPresent(v -> steps.put(field, builder -> setter.set(builder, v)));
  }

  boolean hasField(String field) {
    return steps.containsKey(field);
  }

  /** Puts some limit in place of one that cannot be judged, so that the rest can be. */
  void usePlaceholderLimit() {
    steps.keySet().removeAll(List.of("algorithm", "burst", "cool-down"));
    steps.put("limit", builder -> builder.limit("1/second"));
  }

  /** The rule of all fields and these overrides, if it refuses nothing. */
  Optional<Rule> build(LimitOverride... overrides) {
    try {
      RuleBuilder builder = Rule.named(id);
      steps.values().forEach(step -> step.accept(builder));
      return Optional.of(builder.overrides(overrides).build());
    } catch (RuleException e) {
      return Optional.empty();
    }
  }

  /** The rule of the fields it does not refuse; of the others it tells the name and the reason. */
  Optional<Rule> buildValidFields(BiConsumer<String, String> refused) {
    while (true) {
      try {
        return Optional.of(buildWithout(""));
      } catch (RuleException e) {
        String field = invalidField(e);
        refused.accept(field, e.reason());
        if (field.equals("limit") || steps.remove(field) == null) {
          return Optional.empty();
        }
      }
    }
  }

  private Rule buildWithout(String without) {
    RuleBuilder builder = Rule.named(id);
    steps.forEach((field, step) -> step.accept(field.equals(without) ? Rule.named(id) : builder));
    return builder.build();
  }

  /** The field to blame: the limit only if it cannot be without the others either. */
  private String invalidField(RuleException refused) {
    if (refused.field().equals("limit")) {
      for (String other : List.of("burst", "cool-down")) {
        if (hasField(other) && isLimitValidWithout(other)) {
          return other;
        }
      }
    }
    return refused.field();
  }

  private boolean isLimitValidWithout(String without) {
    try {
      return !buildWithout(without).limits().isEmpty();
    } catch (RuleException e) {
      return !e.field().equals("limit");
    }
  }

  /** One setter of a rule in the making. */
  interface RuleFieldSetter<T> {
    RuleBuilder set(RuleBuilder builder, T value);
  }
}
