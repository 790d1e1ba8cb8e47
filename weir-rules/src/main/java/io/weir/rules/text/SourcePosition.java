package io.weir.rules.text;

/**
 * A position in a text.
 *
 * @param line counted from 1; 0 for the file as a whole
 * @param column counted from 1, in visible characters; 0 for the file as a whole
 */
public record SourcePosition(int line, int column) {
  public static final SourcePosition WHOLE_FILE = new SourcePosition(0, 0);
  public static final SourcePosition START = new SourcePosition(1, 1);

  /** Returns the position of the character at an index of a text. */
  public static SourcePosition of(CharSequence text, int index) {
    int line = 1;
    int column = 1;
    for (int i = 0; i < index; i++) {
      char c = text.charAt(i);
      if (c == '\n' || (c == '\r' && !(i + 1 < text.length() && text.charAt(i + 1) == '\n'))) {
        line++;
        column = 1;
      } else if (!Character.isLowSurrogate(c)) {
        column++;
      }
    }
    return new SourcePosition(line, column);
  }
}
