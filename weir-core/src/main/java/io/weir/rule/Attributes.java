package io.weir.rule;

import org.jspecify.annotations.Nullable;

/** The attributes of a request by name, such as {@code user}, {@code ip} or {@code endpoint}. */
@FunctionalInterface
public interface Attributes {

  /** Returns the value of an attribute, or null if the request does not have it. */
  @Nullable String get(String name);
}
