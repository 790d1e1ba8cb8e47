package io.weir.server.web;

import io.weir.http.Json;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** A JSON object in the making, field by field. For one thread. */
public final class JsonFields {
  private final StringBuilder out = new StringBuilder(256).append('{');

  /** A field whose value is text; null for none. */
  public JsonFields text(String name, @Nullable String value) {
    name(name);
    if (value == null) {
      out.append("null");
    } else {
      Json.quote(out, value);
    }
    return this;
  }

  public JsonFields number(String name, long value) {
    name(name).append(value);
    return this;
  }

  public JsonFields truth(String name, boolean value) {
    name(name).append(value);
    return this;
  }

  /** A field whose value is JSON already. */
  public JsonFields json(String name, String value) {
    name(name).append(value);
    return this;
  }

  /** A field whose value is a list of what is JSON already. */
  public JsonFields list(String name, Collection<String> values) {
    return json(name, array(values));
  }

  /** A field whose value is a list of texts. */
  public JsonFields texts(String name, Collection<String> values) {
    return list(
        name, values.stream().map(v -> Json.quote(new StringBuilder(), v).toString()).toList());
  }

  /** A list of what is JSON already. */
  public static String array(Collection<String> values) {
    return "[" + String.join(",", values) + "]";
  }

  private StringBuilder name(String name) {
    if (out.length() > 1) {
      out.append(',');
    }
    return Json.quote(out, name).append(':');
  }

  /** The object; nothing may be added after. */
  public String end() {
    return out.append('}').toString();
  }
}
