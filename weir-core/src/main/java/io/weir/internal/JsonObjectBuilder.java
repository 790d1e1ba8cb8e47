package io.weir.internal;

import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Builds a JSON object as text, field by field. Not thread-safe. */
public final class JsonObjectBuilder {
  private final StringBuilder out = new StringBuilder(256).append('{');

  /** Adds a field with a string value, or null. */
  public JsonObjectBuilder text(String name, @Nullable String value) {
    appendName(name);
    if (value == null) {
      out.append("null");
    } else {
      JsonText.quote(out, value);
    }
    return this;
  }

  /** Adds a field whose value is an object with string values. */
  public JsonObjectBuilder textMap(String name, Map<String, String> values) {
    JsonObjectBuilder fields = new JsonObjectBuilder();
    values.forEach(fields::text);
    return rawJson(name, fields.build());
  }

  public JsonObjectBuilder number(String name, long value) {
    appendName(name).append(value);
    return this;
  }

  public JsonObjectBuilder bool(String name, boolean value) {
    appendName(name).append(value);
    return this;
  }

  /** Adds a field whose value is JSON text. */
  public JsonObjectBuilder rawJson(String name, String value) {
    appendName(name).append(value);
    return this;
  }

  /** Adds a field whose value is an array of JSON texts. */
  public JsonObjectBuilder rawJsonList(String name, Collection<String> values) {
    return rawJson(name, jsonArray(values));
  }

  /** Adds a field whose value is an array of strings. */
  public JsonObjectBuilder textList(String name, Collection<String> values) {
    return rawJson(name, textArray(values));
  }

  /** Returns a JSON array of strings. */
  public static String textArray(Collection<String> values) {
    return jsonArray(
        values.stream().map(v -> JsonText.quote(new StringBuilder(), v).toString()).toList());
  }

  /** Returns a JSON array of JSON texts. */
  public static String jsonArray(Collection<String> values) {
    return "[" + String.join(",", values) + "]";
  }

  private StringBuilder appendName(String name) {
    if (out.length() > 1) {
      out.append(',');
    }
    return JsonText.quote(out, name).append(':');
  }

  /** Returns the object; no field may be added afterwards. */
  public String build() {
    return out.append('}').toString();
  }
}
