package io.weir.http;

/** Encodes and decodes characters as percent-encoded UTF-8. */
final class PercentEncoding {
  private static final int CONTINUATION_BYTE = 0x80;

  private PercentEncoding() {}

  /**
   * Decodes the character whose encoding begins at {@code at}, a percent sign.
   *
   * @throws BadRequestException if it is truncated, not in the shortest form, or not a character
   */
  static int decode(String text, int at, int end) {
    int first = decodeOctet(text, at, end);
    if (first < CONTINUATION_BYTE) {
      return first;
    }
    int length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    int character = first & (0xff >> (length + 1));
    for (int k = 1; k < length; k++) {
      int next = decodeOctet(text, at + 3 * k, end);
      if ((next & 0xc0) != CONTINUATION_BYTE) {
        throw notUtf8();
      }
      character = (character << 6) | (next & 0x3f);
    }
    boolean surrogate = character >= 0xd800 && character <= 0xdfff;
    if (first < 0xc0 || first > 0xf4 || surrogate || utf8Length(character) != length) {
      throw notUtf8();
    }
    return character;
  }

  /** Returns the length of a character in UTF-8; more than 4 if there is no such character. */
  static int utf8Length(int character) {
    if (character < 0x800) {
      return character < 0x80 ? 1 : 2;
    }
    return character < 0x10000 ? 3 : character <= Character.MAX_CODE_POINT ? 4 : 5;
  }

  static void encode(StringBuilder out, int character) {
    int length = utf8Length(character);
    if (length == 1) {
      Ascii.appendPercentEncoded(out, character);
      return;
    }
    Ascii.appendPercentEncoded(
        out, ((0xff00 >> length) & 0xff) | (character >> (6 * (length - 1))));
    for (int k = length - 2; k >= 0; k--) {
      Ascii.appendPercentEncoded(out, CONTINUATION_BYTE | ((character >> (6 * k)) & 0x3f));
    }
  }

  private static int decodeOctet(String text, int at, int end) {
    if (at + 2 >= end || text.charAt(at) != '%' || !isHexPair(text, at + 1)) {
      throw new BadRequestException(
          "the path has an invalid percent-encoding; write %25 for a percent sign");
    }
    return (Ascii.hexValue(text.charAt(at + 1)) << 4) | Ascii.hexValue(text.charAt(at + 2));
  }

  /**
   * Returns whether a path is still percent-encoded after it was decoded once; upstreams that
   * decode twice would see another path.
   *
   * @param text a path without unnecessary percent-encodings
   */
  static boolean isEncodedTwice(StringBuilder text) {
    for (int at = text.indexOf("%25"); at >= 0; at = text.indexOf("%25", at + 1)) {
      if (at + 4 < text.length() && isHexPair(text, at + 3)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isHexPair(CharSequence text, int at) {
    return Ascii.hexValue(text.charAt(at)) >= 0 && Ascii.hexValue(text.charAt(at + 1)) >= 0;
  }

  private static BadRequestException notUtf8() {
    return new BadRequestException("the path has bytes that are not UTF-8");
  }
}
