package io.weir.http;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The header fields of a request as its framework has them, by name without regard to case. */
public interface RequestHeaders {

  /** The value of the first line of a field; null if there is none. */
  @Nullable String get(String name);

  /** The values of all lines of a field, in their order; empty if there is none. */
  List<String> all(String name);

  /** The lines of a field as one, which is what they mean; null if there is none. */
  default @Nullable String joined(String name) {
    String first = get(name);
    if (first == null) {
      return null;
    }
    List<String> lines = all(name);
    return lines.size() > 1 ? String.join(", ", lines) : first;
  }

  /** The value of a field that must not stand twice; null if there is none, or more than one. */
  default @Nullable String single(String name) {
    String first = get(name);
    return first == null || all(name).size() > 1 ? null : first;
  }
}
