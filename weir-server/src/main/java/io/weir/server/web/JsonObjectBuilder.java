package io.weir.server.web;

import io.weir.http.JsonText;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** A JSON object in the making, field by field. For one thread. */
public final class JsonObjectBuilder {
  private final StringBuilder out = new StringBuilder(256).append('{');

  /** A field whose value is text; null for none. */
  public JsonObjectBuilder text(String name, @Nullable String value) {
    appendName(name);
    if (value == null) {
      out.append("null");
    } else {
      JsonText.quote(out, value);
    }
    return this;
  }

  public JsonObjectBuilder number(String name, long value) {
    appendName(name).append(value);
    return this;
  }

  public JsonObjectBuilder bool(String name, boolean value) {
    appendName(name).append(value);
    return this;
  }

  /** A field whose value is JSON already. */
  public JsonObjectBuilder rawJson(String name, String value) {
    appendName(name).append(value);
    return this;
  }

  /** A field whose value is a list of what is JSON already. */
  public JsonObjectBuilder rawJsonList(String name, Collection<String> values) {
    return rawJson(name, jsonArray(values));
  }

  /** A field whose value is a list of texts. */
  public JsonObjectBuilder textList(String name, Collection<String> values) {
    return rawJsonList(
        name, values.stream().map(v -> JsonText.quote(new StringBuilder(), v).toString()).toList());
  }

  /** A list of what is JSON already. */
  public static String jsonArray(Collection<String> values) {
    return "[" + String.join(",", values) + "]";
  }

  private StringBuilder appendName(String name) {
    if (out.length() > 1) {
      out.append(',');
    }
    return JsonText.quote(out, name).append(':');
  }

  /** The object; nothing may be added after. */
  public String build() {
    return out.append('}').toString();
  }
}
