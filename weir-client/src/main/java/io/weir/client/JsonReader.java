package io.weir.client;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads JSON as maps, lists, texts, numbers (whole ones as {@code Long}) and truths. Bounded in
 * depth; what is no JSON is an {@code IllegalArgumentException}.
 */
final class JsonReader {
  private static final int DEEPEST = 32;

  private final String text;
  private int at;
  private int depth;

  private JsonReader(String text) {
    this.text = text;
  }

  /** Reads an object, and nothing after it. */
  static Map<String, @Nullable Object> object(String text) {
    JsonReader reader = new JsonReader(text);
    reader.space();
    Map<String, @Nullable Object> object = reader.object();
    reader.space();
    if (reader.at < text.length()) {
      throw reader.wrong("something follows");
    }
    return object;
  }

  private @Nullable Object value() {
    char c = peek();
    return switch (c) {
      case '{' -> object();
      case '[' -> list();
      case '"' -> text();
      case 't' -> word("true", true);
      case 'f' -> word("false", false);
      case 'n' -> word("null", null);
      default -> number();
    };
  }

  private Map<String, @Nullable Object> object() {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    begin('{');
    while (more('}', fields.isEmpty())) {
      String name = text();
      space();
      expect(':');
      space();
      fields.put(name, value());
    }
    return fields;
  }

  private List<@Nullable Object> list() {
    List<@Nullable Object> values = new ArrayList<>();
    begin('[');
    while (more(']', values.isEmpty())) {
      values.add(value());
    }
    return values;
  }

  private void begin(char open) {
    expect(open);
    if (++depth > DEEPEST) {
      throw wrong("too deep");
    }
  }

  /** Whether another element follows, which is stood at then. */
  private boolean more(char end, boolean first) {
    space();
    if (peek() == end) {
      at++;
      depth--;
      return false;
    }
    if (!first) {
      expect(',');
      space();
    }
    return true;
  }

  private String text() {
    expect('"');
    StringBuilder out = new StringBuilder();
    for (char c = next(); c != '"'; c = next()) {
      if (c < ' ') {
        throw wrong("a control character");
      }
      out.append(c == '\\' ? escaped() : c);
    }
    return out.toString();
  }

  private char escaped() {
    char c = next();
    return switch (c) {
      case '"', '\\', '/' -> c;
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'u' -> {
        int code = 0;
        for (int i = 0; i < 4; i++) {
          int digit = Character.digit(next(), 16);
          if (digit < 0) {
            throw wrong("no escape");
          }
          code = code << 4 | digit;
        }
        yield (char) code;
      }
      default -> throw wrong("no escape");
    };
  }

  private Object number() {
    int begin = at;
    while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    String digits = text.substring(begin, at);
    try {
      return digits.matches("-?\\d{1,18}")
          ? (Object) Long.valueOf(digits)
          : (Object) Double.valueOf(digits);
    } catch (NumberFormatException e) {
      throw wrong("no value");
    }
  }

  private @Nullable Object word(String word, @Nullable Object meaning) {
    if (!text.startsWith(word, at)) {
      throw wrong("no value");
    }
    at += word.length();
    return meaning;
  }

  private void space() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private char peek() {
    if (at >= text.length()) {
      throw wrong("the end");
    }
    return text.charAt(at);
  }

  private char next() {
    char c = peek();
    at++;
    return c;
  }

  private void expect(char c) {
    if (peek() != c) {
      throw wrong("no " + c);
    }
    at++;
  }

  private IllegalArgumentException wrong(String what) {
    return new IllegalArgumentException("no JSON: " + what + " at character " + at);
  }
}
