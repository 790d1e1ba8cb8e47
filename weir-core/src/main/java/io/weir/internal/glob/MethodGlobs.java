package io.weir.internal.glob;

import java.util.Locale;

/** Patterns of HTTP methods, in upper or lower case; endpoints report methods in upper case. */
final class MethodGlobs implements PatternIndex {
  private final GlobTree tree = new GlobTree();

  @Override
  public void add(String pattern, int... numbers) {
    tree.add(pattern, numbers);
    tree.add(pattern.toUpperCase(Locale.ROOT), numbers);
  }

  @Override
  public int[] find(String value) {
    return tree.find(value);
  }
}
