package io.weir.rules.envoy;

import io.weir.rule.Selector;
import java.util.Optional;

/** Converts values of an Envoy configuration into patterns of rules. */
final class EnvoyPattern {
  private static final String WILDCARD = "*";

  private EnvoyPattern() {}

  /**
   * Returns the pattern that matches the same values as a descriptor. A star of Envoy matches
   * slashes, a single star of Weir does not.
   */
  static String of(ConfiguredDescriptor descriptor) {
    return descriptor.isWildcard() ? descriptor.value() + "/**" : descriptor.value();
  }

  /** Returns why a key cannot be an attribute; empty if it can. */
  static Optional<String> keyProblem(String key) {
    if (key.startsWith("weir.")) {
      return Optional.of("must not begin with weir., which is reserved");
    }
    try {
      var unused = Selector.of(key, WILDCARD);
      return Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }

  /** Returns why a descriptor's value cannot be a pattern; empty if it can. */
  static Optional<String> valueProblem(ConfiguredDescriptor descriptor) {
    return descriptor.matchesAnyValue()
        ? Optional.empty()
        : valueProblem(descriptor.isWildcard() ? descriptor.prefix() + "x" : descriptor.value());
  }

  /** Returns why a value cannot be a pattern that matches only this value; empty if it can. */
  static Optional<String> valueProblem(String value) {
    if (value.contains(WILDCARD)) {
      return Optional.of("must not have a * before its end, which would match any value");
    }
    if (value.startsWith("!")) {
      return Optional.of("must not begin with !, which would match all other values");
    }
    return value.isBlank()
        ? Optional.of("must not be blank, which no pattern matches")
        : Optional.empty();
  }
}
