package io.weir.internal.glob;

/**
 * Finds the patterns of one attribute that match a value, at a cost that does not grow with their
 * number. Immutable once filled.
 */
public interface PatternIndex {
  /** Creates an empty index for the patterns of an attribute. */
  static PatternIndex forAttribute(String attribute) {
    return switch (attribute) {
      case "ip" -> new AddressPatterns();
      case "endpoint" -> new EndpointGlobs();
      case "method" -> new MethodGlobs();
      default -> new GlobTree();
    };
  }

  /** Adds a pattern with its numbers, which must be ascending. */
  void add(String pattern, int... numbers);

  /** Returns the numbers of the matching patterns, ascending. The array must not be modified. */
  int[] find(String value);

  default boolean matches(String value) {
    return find(value).length > 0;
  }
}
