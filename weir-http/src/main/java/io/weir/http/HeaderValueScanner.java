package io.weir.http;

/** Finds the parts of a header value without copying them. */
final class HeaderValueScanner {

  private HeaderValueScanner() {}

  /** Returns the end of the part that begins at {@code from}: the next unquoted separator. */
  static int endOfPart(String text, int from, int to, char separator) {
    boolean quoted = false;
    for (int i = from; i < to; i++) {
      char c = text.charAt(i);
      if (c == '"') {
        quoted = !quoted;
      } else if (c == '\\' && quoted) {
        i++;
      } else if (c == separator && !quoted) {
        return i;
      }
    }
    return to;
  }

  /**
   * Returns the start of the last list element before {@code to}, scanning from the right. The text
   * to the left of a comma was written by another proxy, so its quotes must not affect the element.
   */
  static int startOfLastElement(String text, int to) {
    boolean quoted = false;
    for (int i = to - 1; i >= 0; i--) {
      char c = text.charAt(i);
      if (c == '"' && (i == 0 || text.charAt(i - 1) != '\\')) {
        quoted = !quoted;
      } else if (c == ',' && !quoted) {
        return i + 1;
      }
    }
    return 0;
  }

  static int skipSpace(String text, int from, int to) {
    int at = from;
    while (at < to && isSpace(text.charAt(at))) {
      at++;
    }
    return at;
  }

  static int trimTrailingSpace(String text, int from, int to) {
    int end = to;
    while (end > from && isSpace(text.charAt(end - 1))) {
      end--;
    }
    return end;
  }

  private static boolean isSpace(char c) {
    return c == ' ' || c == '\t';
  }
}
