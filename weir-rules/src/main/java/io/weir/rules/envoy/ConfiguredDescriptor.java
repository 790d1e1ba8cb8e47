package io.weir.rules.envoy;

import io.weir.rules.text.SourcePosition;
import java.util.List;
import java.util.Optional;

/**
 * A descriptor in a configuration of envoyproxy/ratelimit: a key, the values it applies to, its
 * limit and nested descriptors.
 *
 * @param position its source position
 * @param value empty for any value; a value that ends with a star is a prefix
 * @param limit empty if it has no limit itself
 * @param sharedCounter whether all values with the prefix share one counter
 */
record ConfiguredDescriptor(
    SourcePosition position,
    String key,
    String value,
    Optional<EnvoyLimit> limit,
    boolean shadow,
    boolean sharedCounter,
    List<ConfiguredDescriptor> children) {

  boolean matchesAnyValue() {
    return value.isEmpty();
  }

  boolean isWildcard() {
    return value.endsWith("*");
  }

  boolean isExact() {
    return !matchesAnyValue() && !isWildcard();
  }

  /** Returns the prefix of its values, if it is a wildcard. */
  String prefix() {
    return value.substring(0, value.length() - 1);
  }

  /** Returns key and value for error messages. */
  String label() {
    return matchesAnyValue() ? key : key + "=" + value;
  }
}
