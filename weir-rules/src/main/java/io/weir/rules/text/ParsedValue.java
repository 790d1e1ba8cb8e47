package io.weir.rules.text;

import java.util.List;
import java.util.Set;

/** A value as written, with its place: text, a list, a map, or something refused already. */
public sealed interface ParsedValue {
  SourcePosition position();

  /** What it is called in a reason. */
  String typeName();

  /**
   * A single value, not yet taken for a number, a truth or a word.
   *
   * @param unquoted whether it is written without quotes
   */
  record ScalarValue(SourcePosition position, String value, boolean unquoted)
      implements ParsedValue {
    private static final Set<String> NULLS = Set.of("", "~", "null", "Null", "NULL");

    public boolean isNull() {
      return unquoted && NULLS.contains(value);
    }

    @Override
    public String typeName() {
      return isNull() ? "empty" : "text";
    }
  }

  /** A list. */
  record ListValue(SourcePosition position, List<ParsedValue> items) implements ParsedValue {
    @Override
    public String typeName() {
      return "a list";
    }
  }

  /** A map; no two of its fields have one name. */
  record MapValue(SourcePosition position, List<MapEntry> fields) implements ParsedValue {
    @Override
    public String typeName() {
      return "a map";
    }
  }

  /** One field of a map, at the place of its name. */
  record MapEntry(SourcePosition position, String name, ParsedValue value) {}

  /** Stands for what was refused already. */
  record InvalidValue(SourcePosition position) implements ParsedValue {
    @Override
    public String typeName() {
      return "refused";
    }
  }
}
