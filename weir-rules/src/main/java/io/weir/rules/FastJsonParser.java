package io.weir.rules;

import io.weir.internal.JsonReader;
import io.weir.rules.text.ParsedValue;
import io.weir.rules.text.ParsedValue.ListValue;
import io.weir.rules.text.ParsedValue.MapEntry;
import io.weir.rules.text.ParsedValue.MapValue;
import io.weir.rules.text.ParsedValue.ScalarValue;
import io.weir.rules.text.SourcePosition;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A fast parser for JSON as programs write it, at a fraction of the cost of YAML and without source
 * positions.
 *
 * <p>It gives up on anything unusual, valid or not: the caller then reads the text as YAML, which
 * reports problems with their positions. A text that this parser accepts has the same values when
 * read as YAML.
 */
final class FastJsonParser {
  private static final int MAX_FIELDS = 64;
  private static final int MAX_STRING_LENGTH = 1000;
  private static final int MAX_CHARACTERS = 16 << 20;
  private static final Pattern UNQUOTED = Pattern.compile("-?(0|[1-9][0-9]*)|true|false|null");

  private final JsonReader reader;

  private FastJsonParser(String text) {
    reader = new JsonReader(text);
  }

  /** Returns the map of a text; empty if the text has to be read as YAML. */
  static Optional<ParsedValue> parse(String text) {
    if (text.length() > MAX_CHARACTERS || !isUnambiguous(text)) {
      return Optional.empty();
    }
    FastJsonParser parser = new FastJsonParser(text);
    if (parser.reader.skipBlanks() != '{') {
      return Optional.empty();
    }
    try {
      ParsedValue value = parser.parseFields();
      parser.reader.expectEnd();
      return Optional.of(value);
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private ParsedValue parseValue() {
    return switch (reader.skipBlanks()) {
      case '{' -> parseFields();
      case '[' -> parseItems();
      case '"' -> new ScalarValue(SourcePosition.START, parseString(), false);
      default -> new ScalarValue(SourcePosition.START, parseUnquoted(), true);
    };
  }

  private ParsedValue parseFields() {
    List<MapEntry> fields = new ArrayList<>();
    reader.enter('{');
    while (reader.nextElement(fields.isEmpty(), '}')) {
      String name = parseString();
      reader.expect(':'); // YAML requires it right here, and rejects duplicate names
      require(fields.stream().noneMatch(field -> field.name().equals(name)));
      fields.add(new MapEntry(SourcePosition.START, name, parseValue()));
      require(fields.size() <= MAX_FIELDS);
    }
    return new MapValue(SourcePosition.START, fields);
  }

  private ParsedValue parseItems() {
    List<ParsedValue> items = new ArrayList<>();
    reader.enter('[');
    while (reader.nextElement(items.isEmpty(), ']')) {
      items.add(parseValue());
    }
    return new ListValue(SourcePosition.START, items);
  }

  private String parseString() {
    String string = reader.readString();
    require(string.length() <= MAX_STRING_LENGTH);
    for (int i = 0; i < string.length(); i++) {
      require(!Character.isSurrogate(string.charAt(i)));
    }
    return string;
  }

  /** Parses an integer, a boolean or null. */
  private String parseUnquoted() {
    String word = reader.readUnquoted();
    require(UNQUOTED.matcher(word).matches());
    return word;
  }

  /** Returns whether all characters mean the same to JSON and YAML parsers. */
  private static boolean isUnambiguous(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean same = (c >= ' ' && c <= '~') || c == '\n' || (c > 0xA0 && c < 0x2000);
      if (!same) {
        return false;
      }
    }
    return true;
  }

  private static void require(boolean supported) {
    if (!supported) {
      throw new IllegalArgumentException("unusual JSON");
    }
  }
}
