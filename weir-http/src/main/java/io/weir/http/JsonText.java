package io.weir.http;

/** Writes JSON strings and error objects. */
public final class JsonText {
  private static final char[] HEX = "0123456789abcdef".toCharArray();

  private JsonText() {}

  /**
   * Appends a text in quotes. Control characters are escaped, and so are unpaired surrogates, which
   * cannot be encoded in UTF-8.
   */
  public static StringBuilder quote(StringBuilder out, String text) {
    out.append('"');
    int plain = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (isPlain(c)) {
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

  /** Returns an error object with an error code and a message for people. */
  public static String error(String name, String message) {
    StringBuilder out = new StringBuilder("{\"error\":");
    quote(out, name).append(",\"message\":");
    return quote(out, message).append('}').toString();
  }

  private static boolean isPlain(char c) {
    return c >= ' ' && c != '"' && c != '\\' && c != 0x7f && !Character.isSurrogate(c);
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
