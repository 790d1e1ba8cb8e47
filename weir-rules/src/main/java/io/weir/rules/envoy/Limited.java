package io.weir.rules.envoy;

import io.weir.rules.text.Place;
import java.util.List;
import java.util.Optional;

/**
 * A descriptor of envoyproxy/ratelimit's configuration: a key, whose values it is for, and what
 * holds there.
 *
 * @param at where it is written
 * @param value empty for any value; one that ends with a star is for all values that begin so
 * @param limit empty if it limits nothing itself
 * @param shared whether all values that begin so have one counter together
 */
record Limited(
    Place at,
    String key,
    String value,
    Optional<EnvoyLimit> limit,
    boolean shadow,
    boolean shared,
    List<Limited> inner) {

  boolean isBare() {
    return value.isEmpty();
  }

  boolean isWildcard() {
    return value.endsWith("*");
  }

  boolean isExact() {
    return !isBare() && !isWildcard();
  }

  /** What its values begin with, if it is a wildcard. */
  String prefix() {
    return value.substring(0, value.length() - 1);
  }

  /** Key and value as they are told where something is wrong. */
  String label() {
    return isBare() ? key : key + "=" + value;
  }
}
