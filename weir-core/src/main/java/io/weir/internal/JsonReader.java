package io.weir.internal;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads JSON token by token, or a whole object as maps, lists, strings, numbers (integers as {@code
 * Long}) and booleans. The depth is bounded; invalid input causes an {@code
 * IllegalArgumentException}. Not thread-safe.
 */
public final class JsonReader {
  /** What {@link #skipBlanks} returns at the end of the text. */
  public static final char END_OF_TEXT = '\0';

  private static final int MAX_DEPTH = 32;
  private static final Pattern INTEGER = Pattern.compile("-?\\d{1,18}");
  private static final Pattern DECIMAL =
      Pattern.compile("[-+]?(\\d++\\.?\\d*+|\\.\\d++)([eE][-+]?\\d++)?");

  private final String text;
  private int index;
  private int depth;

  public JsonReader(String text) {
    this.text = text;
  }

  /** Reads a text that consists of exactly one object. The last of fields of one name counts. */
  public static Map<String, @Nullable Object> readObject(String text) {
    JsonReader reader = new JsonReader(text);
    reader.skipBlanks();
    Map<String, @Nullable Object> object = reader.readObject();
    reader.expectEnd();
    return object;
  }

  private Map<String, @Nullable Object> readObject() {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    enter('{');
    while (nextElement(fields.isEmpty(), '}')) {
      String name = readString();
      skipBlanks();
      expect(':');
      fields.put(name, readValue());
    }
    return fields;
  }

  private List<@Nullable Object> readList() {
    List<@Nullable Object> values = new ArrayList<>();
    enter('[');
    while (nextElement(values.isEmpty(), ']')) {
      values.add(readValue());
    }
    return values;
  }

  private @Nullable Object readValue() {
    return switch (skipBlanks()) {
      case '{' -> readObject();
      case '[' -> readList();
      case '"' -> readString();
      default -> toValue(readUnquoted());
    };
  }

  private @Nullable Object toValue(String word) {
    return switch (word) {
      case "true" -> true;
      case "false" -> false;
      case "null" -> null;
      default -> toNumber(word);
    };
  }

  private Object toNumber(String word) {
    if (INTEGER.matcher(word).matches()) {
      return Long.valueOf(word);
    }
    if (!DECIMAL.matcher(word).matches()) {
      throw syntaxError("invalid value");
    }
    return Double.valueOf(word);
  }

  /** Skips the opening bracket of an object or a list. */
  public void enter(char open) {
    expect(open);
    if (++depth > MAX_DEPTH) {
      throw syntaxError("nested too deeply");
    }
  }

  /** Skips to the next element; at the end, skips the closing bracket and returns false. */
  public boolean nextElement(boolean first, char end) {
    if (skipBlanks() == end) {
      index++;
      depth--;
      return false;
    }
    if (!first) {
      expect(',');
      skipBlanks();
    }
    return true;
  }

  /** Reads a string in quotes. */
  public String readString() {
    expect('"');
    int begin = index;
    char c = next();
    while (c != '"' && c != '\\') {
      c = next();
    }
    return c == '"' ? text.substring(begin, index - 1) : readEscapedString(begin);
  }

  private String readEscapedString(int begin) {
    StringBuilder out = new StringBuilder().append(text, begin, --index);
    for (char c = next(); c != '"'; c = next()) {
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
          char digit = next();
          if (!HexFormat.isHexDigit(digit)) {
            throw syntaxError("invalid escape");
          }
          code = code << 4 | HexFormat.fromHexDigit(digit);
        }
        yield (char) code;
      }
      default -> throw syntaxError("invalid escape");
    };
  }

  /** Reads the characters of a number or a word such as true, valid or not. */
  public String readUnquoted() {
    requireMore();
    int begin = index;
    while (index < text.length() && isUnquoted(text.charAt(index))) {
      index++;
    }
    return text.substring(begin, index);
  }

  private static boolean isUnquoted(char c) {
    return (c >= '0' && c <= '9')
        || (c >= 'a' && c <= 'z')
        || c == '-'
        || c == '+'
        || c == '.'
        || c == 'E';
  }

  /** Skips blanks and returns the next character, which may be {@link #END_OF_TEXT}. */
  public char skipBlanks() {
    while (index < text.length()) {
      char c = text.charAt(index);
      if (c != ' ' && c != '\n' && c != '\r' && c != '\t') {
        return c;
      }
      index++;
    }
    return END_OF_TEXT;
  }

  /** Skips a character, which has to be right here. */
  public void expect(char c) {
    requireMore();
    if (text.charAt(index) != c) {
      throw syntaxError("expected " + c);
    }
    index++;
  }

  /** Skips blanks up to the end of the text. */
  public void expectEnd() {
    skipBlanks();
    if (index < text.length()) {
      throw syntaxError("unexpected text after the object");
    }
  }

  /** Returns the next character of a string. */
  private char next() {
    requireMore();
    char c = text.charAt(index++);
    if (c < ' ') {
      throw syntaxError("control character in a string");
    }
    return c;
  }

  private void requireMore() {
    if (index >= text.length()) {
      throw syntaxError("unexpected end");
    }
  }

  private IllegalArgumentException syntaxError(String what) {
    return new IllegalArgumentException("invalid JSON: " + what + " at character " + index);
  }
}
