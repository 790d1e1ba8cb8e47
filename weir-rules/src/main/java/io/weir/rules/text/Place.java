package io.weir.rules.text;

/**
 * Where something is written.
 *
 * @param line counted from 1; 0 for the file as a whole
 * @param column counted from 1, in characters as the reader sees them; 0 for the file as a whole
 */
public record Place(int line, int column) {
  public static final Place FILE = new Place(0, 0);
  public static final Place START = new Place(1, 1);

  /** The place of the character at an index of a text. */
  public static Place of(CharSequence text, int index) {
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
    return new Place(line, column);
  }
}
