package io.weir.rule;

import org.jspecify.annotations.Nullable;

/** What is known of a request, by name: {@code user}, {@code ip}, {@code endpoint}, any other. */
@FunctionalInterface
public interface Attributes {

  /** The value of an attribute, or null if the request has none of that name. */
  @Nullable String get(String name);
}
