package io.weir.rule;

import org.jspecify.annotations.Nullable;

/** The attributes of a request by name, such as {@code user}, {@code ip} or {@code endpoint}. */
@FunctionalInterface
public interface Attributes {

  /** Returns the value of an attribute, or null if the request does not have it. */
  @Nullable String get(String name);

  /**
   * Returns the address by which a rule counts a request that lacks an attribute it counts per;
   * null if there is none, so that the rule is skipped.
   */
  default @Nullable String fallbackAddress() {
    return get("ip");
  }
}
