package io.weir.internal;

import java.util.Collection;
import java.util.Map;

/** Writes JSON strings, values and error objects. */
public final class JsonText {
  private static final char[] HEX = "0123456789abcdef".toCharArray();

  private JsonText() {}

  /**
   * Appends a text in quotes. Control characters are escaped, and so are unpaired surrogates, which
   * cannot be encoded in UTF-8.
   */
  public static StringBuilder quote(StringBuilder out, String text) {
    return quote(out, text, false);
  }

  /**
   * Appends a text in quotes, with escapes that are valid in both JSON and YAML for the characters
   * that YAML does not allow, line separators and byte order marks.
   */
  public static StringBuilder quoteForYaml(StringBuilder out, String text) {
    return quote(out, text, true);
  }

  private static StringBuilder quote(StringBuilder out, String text, boolean forYaml) {
    out.append('"');
    int plain = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (isPlain(c) && (forYaml ? isPlainInYaml(c) : c != 0x7f)) {
        continue;
      }
      if (Character.isHighSurrogate(c)
          && i + 1 < text.length()
          && Character.isLowSurrogate(text.charAt(i + 1))) {
        i++;
        continue;
      }
      escape(out.append(text, plain, i), c);
      plain = i + 1;
    }
    return out.append(text, plain, text.length()).append('"');
  }

  /**
   * Appends a map, a collection, a number or a boolean; anything else as text in quotes. Strings
   * are escaped as by {@link #quoteForYaml}.
   */
  public static StringBuilder writeForYaml(StringBuilder out, Object value) {
    String separator = "";
    if (value instanceof Map<?, ?> map) {
      out.append('{');
      for (Map.Entry<?, ?> field : map.entrySet()) {
        quoteForYaml(out.append(separator), String.valueOf(field.getKey())).append(':');
        writeForYaml(out, field.getValue());
        separator = ",";
      }
      return out.append('}');
    }
    if (value instanceof Collection<?> items) {
      out.append('[');
      for (Object item : items) {
        writeForYaml(out.append(separator), item);
        separator = ",";
      }
      return out.append(']');
    }
    return value instanceof Number || value instanceof Boolean
        ? out.append(value)
        : quoteForYaml(out, value.toString());
  }

  /** Returns an error object with an error code and a message for people. */
  public static String error(String name, String message) {
    return new JsonObjectBuilder().text("error", name).text("message", message).build();
  }

  private static boolean isPlain(char c) {
    return c >= ' ' && c != '"' && c != '\\' && !Character.isSurrogate(c);
  }

  private static boolean isPlainInYaml(char c) {
    boolean isLineSeparator = c == 0x2028 || c == 0x2029;
    boolean isByteOrderMark = c == 0xfeff;
    return c < 0x80 || (c >= 0xa0 && c < 0xfffe && !isLineSeparator && !isByteOrderMark);
  }

  private static void escape(StringBuilder out, char c) {
    switch (c) {
      case '"' -> out.append("\\\"");
      case '\\' -> out.append("\\\\");
      case '\n' -> out.append("\\n");
      case '\r' -> out.append("\\r");
      case '\t' -> out.append("\\t");
      default -> {
        out.append("\\u");
        for (int shift = 12; shift >= 0; shift -= 4) {
          out.append(HEX[c >> shift & 0xf]);
        }
      }
    }
  }
}
