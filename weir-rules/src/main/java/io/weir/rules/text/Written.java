package io.weir.rules.text;

import java.util.List;
import java.util.Set;

/** A value as written, with its place: text, a list, a map, or something refused already. */
public sealed interface Written {
  Place at();

  /** What it is called in a reason. */
  String kind();

  /**
   * A single value, not yet taken for a number, a truth or a word.
   *
   * @param plain whether it is written without quotes
   */
  record Text(Place at, String value, boolean plain) implements Written {
    private static final Set<String> NULLS = Set.of("", "~", "null", "Null", "NULL");

    public boolean isNull() {
      return plain && NULLS.contains(value);
    }

    @Override
    public String kind() {
      return isNull() ? "empty" : "text";
    }
  }

  /** A list. */
  record Items(Place at, List<Written> items) implements Written {
    @Override
    public String kind() {
      return "a list";
    }
  }

  /** A map; no two of its fields have one name. */
  record Fields(Place at, List<Field> fields) implements Written {
    @Override
    public String kind() {
      return "a map";
    }
  }

  /** One field of a map, at the place of its name. */
  record Field(Place at, String name, Written value) {}

  /** Stands for what was refused already. */
  record Refused(Place at) implements Written {
    @Override
    public String kind() {
      return "refused";
    }
  }
}
