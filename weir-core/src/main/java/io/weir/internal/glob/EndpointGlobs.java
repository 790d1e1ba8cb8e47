package io.weir.internal.glob;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Patterns of endpoints, which are {@code METHOD /path}. A pattern without a method, such as {@code
 * /login}, matches all methods; a method may be in lower case.
 */
final class EndpointGlobs implements PatternIndex {
  private static final Pattern WITH_METHOD = Pattern.compile("([A-Za-z*]+)( /.*| \\*+)");

  private final GlobTree tree = new GlobTree();

  @Override
  public void add(String pattern, int... numbers) {
    tree.add(pattern, numbers); // callers of the decision API may send endpoints of any form
    Matcher withMethod = WITH_METHOD.matcher(pattern);
    if (pattern.startsWith("/")) {
      tree.add("* " + pattern, numbers);
    } else if (withMethod.matches()) {
      tree.add(withMethod.group(1).toUpperCase(Locale.ROOT) + withMethod.group(2), numbers);
    }
  }

  @Override
  public int[] find(String value) {
    return tree.find(value);
  }
}
