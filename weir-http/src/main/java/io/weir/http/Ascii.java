package io.weir.http;

import java.util.Locale;

/** Character classes of HTTP and URIs, and hexadecimal digits. */
final class Ascii {
  private static final int ASCII_SIZE = 128;
  private static final String LETTERS_AND_DIGITS =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  private static final boolean[] TOKEN_CHARS = table(LETTERS_AND_DIGITS + "!#$%&'*+-.^_`|~");
  private static final boolean[] UNRESERVED_CHARS = table(LETTERS_AND_DIGITS + "-._~");
  private static final boolean[] PATH_SEGMENT_CHARS =
      table(LETTERS_AND_DIGITS + "-._~!$&'()*+,=:@");
  private static final byte[] HEX_VALUES = hexDigits();
  private static final char[] HEX_DIGITS = "0123456789ABCDEF".toCharArray();

  private Ascii() {}

  private static boolean[] table(String members) {
    boolean[] table = new boolean[ASCII_SIZE];
    members.chars().forEach(c -> table[c] = true);
    return table;
  }

  private static byte[] hexDigits() {
    byte[] digits = new byte[ASCII_SIZE];
    for (char c = 0; c < ASCII_SIZE; c++) {
      digits[c] = (byte) Character.digit(c, 16);
    }
    return digits;
  }

  /** Returns whether a character may be part of a token (RFC 9110), such as a method. */
  static boolean isToken(char c) {
    return c < ASCII_SIZE && TOKEN_CHARS[c];
  }

  /** Returns whether a character means the same with and without percent-encoding (RFC 3986). */
  static boolean isUnreserved(int c) {
    return c < ASCII_SIZE && UNRESERVED_CHARS[c];
  }

  /**
   * Returns whether a character may be part of a path segment without encoding. The semicolon may
   * not: it begins parameters.
   */
  static boolean isPathSegmentChar(int c) {
    return c < ASCII_SIZE && PATH_SEGMENT_CHARS[c];
  }

  /** Returns whether a character is printable and not a space. */
  static boolean isVisible(char c) {
    return c > ' ' && c < 0x7f;
  }

  /** Returns the value of a hexadecimal digit; negative if the character is not one. */
  static int hexValue(char c) {
    return c < ASCII_SIZE ? HEX_VALUES[c] : -1;
  }

  /** Appends a byte as {@code %XX}. */
  static void appendPercentEncoded(StringBuilder out, int octet) {
    out.append('%').append(HEX_DIGITS[octet >> 4 & 0xf]).append(HEX_DIGITS[octet & 0xf]);
  }

  /** Returns the text in lower case; only for text of ASCII characters. */
  static String toLowerCase(String text) {
    return text.toLowerCase(Locale.ROOT);
  }
}
