package io.weir.gateway;

/**
 * Iterates over the elements of a comma-separated header field (RFC 9110, 5.6.1) without copying
 * them. Empty elements and the whitespace around elements are skipped. Not thread-safe.
 */
final class HeaderListIterator {
  private final String line;
  private int next;
  private int start;
  private int end;

  HeaderListIterator(String line) {
    this.line = line;
  }

  /** Moves to the next element; false if there is none. */
  boolean advance() {
    while (next <= line.length()) {
      int comma = line.indexOf(',', next);
      int to = comma < 0 ? line.length() : comma;
      int from = next;
      next = to + 1;
      while (from < to && isSpace(line.charAt(from))) {
        from++;
      }
      while (to > from && isSpace(line.charAt(to - 1))) {
        to--;
      }
      if (from < to) {
        start = from;
        end = to;
        return true;
      }
    }
    return false;
  }

  /** Whether the current element equals a text, ignoring case. */
  boolean equalsIgnoreCase(String text) {
    return end - start == text.length() && line.regionMatches(true, start, text, 0, text.length());
  }

  /** A copy of the current element. */
  String text() {
    return line.substring(start, end);
  }

  private static boolean isSpace(char c) {
    return c == ' ' || c == '\t';
  }
}
