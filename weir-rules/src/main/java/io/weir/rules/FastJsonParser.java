package io.weir.rules;

import io.weir.rules.text.ParsedValue;
import io.weir.rules.text.ParsedValue.ListValue;
import io.weir.rules.text.ParsedValue.MapEntry;
import io.weir.rules.text.ParsedValue.MapValue;
import io.weir.rules.text.ParsedValue.ScalarValue;
import io.weir.rules.text.SourcePosition;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A fast parser for JSON as programs write it, at a fraction of the cost of YAML and without source
 * positions.
 *
 * <p>It gives up on anything unusual, valid or not: the caller then reads the text as YAML, which
 * reports problems with their positions. A text that this parser accepts has the same values when
 * read as YAML.
 */
final class FastJsonParser {
  private static final int MAX_DEPTH = 12;
  private static final int MAX_FIELDS = 64;
  private static final int MAX_STRING_LENGTH = 1000;
  private static final int MAX_CHARACTERS = 16 << 20;
  private static final char END_OF_TEXT = '\0';

  private final String text;
  private int index;

  private FastJsonParser(String text) {
    this.text = text;
  }

  /** Returns the map of a text; empty if the text has to be read as YAML. */
  static Optional<ParsedValue> parse(String text) {
    try {
      FastJsonParser tree = new FastJsonParser(text);
      require(text.length() <= MAX_CHARACTERS && tree.skipBlanks() == '{');
      ParsedValue value = tree.parseValue(1);
      require(tree.skipBlanks() == END_OF_TEXT && tree.index == text.length());
      return Optional.of(value);
    } catch (UnsupportedJsonException e) {
      return Optional.empty();
    }
  }

  private ParsedValue parseValue(int depth) {
    require(depth <= MAX_DEPTH);
    return switch (skipBlanks()) {
      case '{' -> parseFields(depth);
      case '[' -> parseItems(depth);
      case '"' -> new ScalarValue(SourcePosition.START, parseString(), false);
      default -> new ScalarValue(SourcePosition.START, parseUnquoted(), true);
    };
  }

  private ParsedValue parseFields(int depth) {
    List<MapEntry> fields = new ArrayList<>();
    while (nextElement(fields.isEmpty(), '}')) {
      require(skipBlanks() == '"');
      String name = parseString();
      // YAML requires the colon right here, and rejects duplicate names
      require(currentChar() == ':' && fields.stream().noneMatch(f -> f.name().equals(name)));
      index++;
      fields.add(new MapEntry(SourcePosition.START, name, parseValue(depth + 1)));
      require(fields.size() <= MAX_FIELDS);
    }
    return new MapValue(SourcePosition.START, fields);
  }

  private ParsedValue parseItems(int depth) {
    List<ParsedValue> items = new ArrayList<>();
    while (nextElement(items.isEmpty(), ']')) {
      items.add(parseValue(depth + 1));
    }
    return new ListValue(SourcePosition.START, items);
  }

  /** Skips to the next element; at the end, skips the closing bracket and returns false. */
  private boolean nextElement(boolean first, char end) {
    if (first) {
      index++;
    }
    char c = skipBlanks();
    if (c == end) {
      index++;
      return false;
    }
    if (!first) {
      require(c == ',');
      index++;
      require(skipBlanks() != end);
    }
    return true;
  }

  private String parseString() {
    int from = ++index;
    while (currentChar() != '"' && currentChar() != '\\') {
      require(isUnambiguous(currentChar()) && index - from <= MAX_STRING_LENGTH);
      index++;
    }
    return currentChar() == '"' ? text.substring(from, index++) : parseEscapedString(from);
  }

  private String parseEscapedString(int from) {
    StringBuilder string = new StringBuilder(text.substring(from, index));
    for (; currentChar() != '"'; index++) {
      char c = currentChar();
      require(isUnambiguous(c) && string.length() <= MAX_STRING_LENGTH);
      if (c == '\\') {
        index++;
        c = parseEscape();
      }
      string.append(c);
    }
    index++;
    return string.toString();
  }

  private char parseEscape() {
    return switch (currentChar()) {
      case '"', '\\', '/' -> currentChar();
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'u' -> {
        int value = 0;
        for (int i = 0; i < 4; i++) {
          index++;
          int digit = Character.digit(currentChar(), 16);
          require(digit >= 0 && currentChar() < 0x80);
          value = value * 16 + digit;
        }
        require(!Character.isSurrogate((char) value));
        yield (char) value;
      }
      default -> throw new UnsupportedJsonException();
    };
  }

  /** Parses an integer, a boolean or null. */
  private String parseUnquoted() {
    int from = index;
    while ((currentChar() >= 'a' && currentChar() <= 'z')
        || (currentChar() >= '0' && currentChar() <= '9')
        || currentChar() == '-') {
      index++;
    }
    String bare = text.substring(from, index);
    boolean word = bare.equals("true") || bare.equals("false") || bare.equals("null");
    require(word || isNumber(bare));
    return bare;
  }

  private static boolean isNumber(String bare) {
    int first = bare.startsWith("-") ? 1 : 0;
    for (int i = first; i < bare.length(); i++) {
      if (bare.charAt(i) < '0' || bare.charAt(i) > '9') {
        return false;
      }
    }
    return bare.length() == first + 1 || (bare.length() > first && bare.charAt(first) != '0');
  }

  /** Whether a character means the same to JSON and YAML parsers. */
  private static boolean isUnambiguous(char c) {
    return (c >= ' ' && c <= '~') || (c > 0xA0 && c < 0x2000);
  }

  /** Skips blanks and returns the next character. */
  private char skipBlanks() {
    while (currentChar() == ' ' || currentChar() == '\n') {
      index++;
    }
    return currentChar();
  }

  private char currentChar() {
    return index < text.length() ? text.charAt(index) : END_OF_TEXT;
  }

  private static void require(boolean supported) {
    if (!supported) {
      throw new UnsupportedJsonException();
    }
  }

  /** Ends the parsing of a text that is left to YAML. */
  private static final class UnsupportedJsonException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private UnsupportedJsonException() {
      super("unusual JSON", null, false, false);
    }
  }
}
