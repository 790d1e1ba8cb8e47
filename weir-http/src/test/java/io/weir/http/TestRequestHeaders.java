package io.weir.http;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The header fields of a test request. */
final class TestRequestHeaders implements RequestHeaders {
  private final Map<String, List<String>> lines = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

  /** Creates fields from alternating names and values; names may be repeated. */
  static TestRequestHeaders of(String... pairs) {
    TestRequestHeaders fields = new TestRequestHeaders();
    for (int i = 0; i < pairs.length; i += 2) {
      fields.lines.computeIfAbsent(pairs[i], name -> new ArrayList<>()).add(pairs[i + 1]);
    }
    return fields;
  }

  @Override
  public @Nullable String get(String name) {
    List<String> all = all(name);
    return all.isEmpty() ? null : all.get(0);
  }

  @Override
  public List<String> all(String name) {
    return lines.getOrDefault(name, List.of());
  }
}
