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
 * The assembly of a rule, with one step for each field.
 *
 * <p>A field that the rule rejects is reported; the rule is then built without it, to find the next
 * problem.
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

  /** Replaces an unreadable limit by a placeholder, so that the other fields can be checked. */
  void usePlaceholderLimit() {
    steps.keySet().removeAll(List.of("algorithm", "burst", "cool-down", "calendar"));
    steps.put("limit", builder -> builder.limit("1/second"));
  }

  /** Builds the rule with all fields and these overrides; empty if the rule rejects any. */
  Optional<Rule> build(LimitOverride... overrides) {
    try {
      RuleBuilder builder = Rule.named(id);
      steps.values().forEach(step -> step.accept(builder));
      return Optional.of(builder.overrides(overrides).build());
    } catch (RuleException e) {
      return Optional.empty();
    }
  }

  /** Builds the rule from its valid fields; passes name and reason of the others to a consumer. */
  Optional<Rule> buildValidFields(BiConsumer<String, String> onRejected) {
    while (true) {
      try {
        return Optional.of(buildWithout(""));
      } catch (RuleException e) {
        String field = invalidField(e);
        onRejected.accept(field, e.reason());
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

  /** Returns the field to report: the limit only if it is invalid without the others, too. */
  private String invalidField(RuleException e) {
    if (e.field().equals("limit")) {
      for (String other : List.of("burst", "cool-down")) {
        if (hasField(other) && isLimitValidWithout(other)) {
          return other;
        }
      }
    }
    return e.field();
  }

  private boolean isLimitValidWithout(String without) {
    try {
      return !buildWithout(without).rates().isEmpty();
    } catch (RuleException e) {
      return !e.field().equals("limit");
    }
  }

  /** A setter of the rule builder. */
  interface RuleFieldSetter<T> {
    RuleBuilder set(RuleBuilder builder, T value);
  }
}
