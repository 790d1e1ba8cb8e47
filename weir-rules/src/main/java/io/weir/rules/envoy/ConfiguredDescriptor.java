package io.weir.rules.envoy;

import io.weir.rules.text.SourcePosition;
import java.util.List;
import java.util.Optional;

/**
 * A descriptor of envoyproxy/ratelimit's configuration: a key, whose values it is for, and what
 * holds there.
 *
 * @param position where it is written
 * @param value empty for any value; one that ends with a star is for all values that begin so
 * @param limit empty if it limits nothing itself
 * @param sharedCounter whether all values that begin so have one counter together
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

  /** What its values begin with, if it is a wildcard. */
  String prefix() {
    return value.substring(0, value.length() - 1);
  }

  /** Key and value as they are told where something is wrong. */
  String label() {
    return matchesAnyValue() ? key : key + "=" + value;
  }
}
