package io.weir.client;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Parses JSON into maps, lists, strings, numbers (integers as {@code Long}) and booleans. The depth
 * is bounded; invalid input causes an {@code IllegalArgumentException}.
 */
final class JsonReader {
  private static final int MAX_DEPTH = 32;

  private final String text;
  private int at;
  private int depth;

  private JsonReader(String text) {
    this.text = text;
  }

  /** Parses a text that consists of exactly one object. */
  static Map<String, @Nullable Object> readObject(String text) {
    JsonReader reader = new JsonReader(text);
    reader.skipWhitespace();
    Map<String, @Nullable Object> object = reader.readObject();
    reader.skipWhitespace();
    if (reader.at < text.length()) {
      throw reader.syntaxError("unexpected text after the object");
    }
    return object;
  }

  private @Nullable Object readValue() {
    char c = peek();
    return switch (c) {
      case '{' -> readObject();
      case '[' -> readList();
      case '"' -> readString();
      case 't' -> readLiteral("true", true);
      case 'f' -> readLiteral("false", false);
      case 'n' -> readLiteral("null", null);
      default -> readNumber();
    };
  }

  private Map<String, @Nullable Object> readObject() {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    enter('{');
    while (hasNextElement('}', fields.isEmpty())) {
      String name = readString();
      skipWhitespace();
      expect(':');
      skipWhitespace();
      fields.put(name, readValue());
    }
    return fields;
  }

  private List<@Nullable Object> readList() {
    List<@Nullable Object> values = new ArrayList<>();
    enter('[');
    while (hasNextElement(']', values.isEmpty())) {
      values.add(readValue());
    }
    return values;
  }

  private void enter(char open) {
    expect(open);
    if (++depth > MAX_DEPTH) {
      throw syntaxError("nested too deeply");
    }
  }

  /** Returns whether another element follows; the position is then at its beginning. */
  private boolean hasNextElement(char end, boolean first) {
    skipWhitespace();
    if (peek() == end) {
      at++;
      depth--;
      return false;
    }
    if (!first) {
      expect(',');
      skipWhitespace();
    }
    return true;
  }

  private String readString() {
    expect('"');
    StringBuilder out = new StringBuilder();
    for (char c = next(); c != '"'; c = next()) {
      if (c < ' ') {
        throw syntaxError("control character in a string");
      }
      out.append(c == '\\' ? readEscape() : c);
    }
    return out.toString();
  }

  private char readEscape() {
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
            throw syntaxError("invalid escape");
          }
          code = code << 4 | digit;
        }
        yield (char) code;
      }
      default -> throw syntaxError("invalid escape");
    };
  }

  private Object readNumber() {
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
      throw syntaxError("invalid value");
    }
  }

  private @Nullable Object readLiteral(String word, @Nullable Object meaning) {
    if (!text.startsWith(word, at)) {
      throw syntaxError("invalid value");
    }
    at += word.length();
    return meaning;
  }

  private void skipWhitespace() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private char peek() {
    if (at >= text.length()) {
      throw syntaxError("unexpected end");
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
      throw syntaxError("expected " + c);
    }
    at++;
  }

  private IllegalArgumentException syntaxError(String what) {
    return new IllegalArgumentException("invalid JSON: " + what + " at character " + at);
  }
}
