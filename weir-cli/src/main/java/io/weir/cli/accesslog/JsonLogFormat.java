package io.weir.cli.accesslog;

import io.weir.internal.JsonReader;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One JSON object per line. Fields of inner objects are named with dots, such as {@code
 * request.method}; of a list, the first element counts.
 */
final class JsonLogFormat implements LogFormat {

  @Override
  public Map<String, String> parse(String line) {
    Map<String, String> fields = new LinkedHashMap<>();
    try {
      JsonReader.readObject(line).forEach((name, value) -> add(fields, name, value));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("must be a JSON object: " + e.getMessage(), e);
    }
    return fields;
  }

  private static void add(Map<String, String> fields, String name, @Nullable Object value) {
    if (value instanceof Map<?, ?> inner) {
      inner.forEach((key, innerValue) -> add(fields, name + "." + key, innerValue));
    } else if (value instanceof List<?> list) {
      if (!list.isEmpty()) {
        add(fields, name, list.get(0));
      }
    } else if (value instanceof Double number) {
      fields.put(name, new BigDecimal(number.toString()).toPlainString());
    } else if (value != null && !value.toString().isEmpty()) {
      fields.put(name, value.toString());
    }
  }
}
