package io.weir.http;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The header fields of a request, looked up by case-insensitive name; adapts a framework. */
public interface RequestHeaders {

  /** Returns the value of the first line of a field; null if the field is missing. */
  @Nullable String get(String name);

  /** Returns the values of all lines of a field, in order; empty if the field is missing. */
  List<String> all(String name);

  /** Returns all lines of a field, joined by commas; null if the field is missing. */
  default @Nullable String joined(String name) {
    String first = get(name);
    if (first == null) {
      return null;
    }
    List<String> lines = all(name);
    return lines.size() > 1 ? String.join(", ", lines) : first;
  }

  /** Returns the value of a field; null if the field is missing or occurs more than once. */
  default @Nullable String single(String name) {
    String first = get(name);
    return first == null || all(name).size() > 1 ? null : first;
  }
}
