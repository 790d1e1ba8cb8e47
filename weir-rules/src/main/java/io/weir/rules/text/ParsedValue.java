package io.weir.rules.text;

import java.util.List;
import java.util.Set;

/**
 * A parsed YAML or JSON value with its source position: a scalar, a list, a map, or an invalid one.
 */
public sealed interface ParsedValue {
  SourcePosition position();

  /** Returns the type of this value for error messages, such as "a list". */
  String typeName();

  /**
   * A single value as text, not yet converted to a number or a boolean.
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

  /** A map; its field names are unique. */
  record MapValue(SourcePosition position, List<MapEntry> fields) implements ParsedValue {
    @Override
    public String typeName() {
      return "a map";
    }
  }

  /** One field of a map, at the position of its name. */
  record MapEntry(SourcePosition position, String name, ParsedValue value) {}

  /**
   * A value that is invalid and already reported, so that no further problem is reported for it.
   */
  record InvalidValue(SourcePosition position) implements ParsedValue {
    @Override
    public String typeName() {
      return "refused";
    }
  }
}
