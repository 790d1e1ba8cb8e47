package io.weir.rules.envoy;

import io.weir.rule.Selector;
import java.util.Optional;

/** Values of a configuration as the patterns of rules. */
final class EnvoyPattern {
  private static final String WILDCARD = "*";

  private EnvoyPattern() {}

  /**
   * The pattern that meets what a descriptor's value does. A star of Envoy's goes over slashes, of
   * which ours stops at each.
   */
  static String of(ConfiguredDescriptor descriptor) {
    return descriptor.isWildcard() ? descriptor.value() + "/**" : descriptor.value();
  }

  /** Why a key cannot be an attribute. */
  static Optional<String> keyProblem(String key) {
    if (key.startsWith("weir.")) {
      return Optional.of("begins with weir., which is no attribute; write another");
    }
    try {
      var unused = Selector.of(key, WILDCARD);
      return Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }

  /** Why a descriptor's value cannot be a pattern. */
  static Optional<String> valueProblem(ConfiguredDescriptor descriptor) {
    return descriptor.matchesAnyValue()
        ? Optional.empty()
        : valueProblem(descriptor.isWildcard() ? descriptor.prefix() + "x" : descriptor.value());
  }

  /** Why a value cannot be a pattern that meets it and no other. */
  static Optional<String> valueProblem(String value) {
    if (value.contains(WILDCARD)) {
      return Optional.of(
          "has a * before its end, which would mean any here; write a value without");
    }
    if (value.startsWith("!")) {
      return Optional.of("begins with !, which would mean all others here; write a value without");
    }
    return value.isBlank()
        ? Optional.of("is blank, which no pattern can say; write another")
        : Optional.empty();
  }
}
