package io.weir.http;

import java.util.Locale;

/** Characters as HTTP and URIs know them. */
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

  /** Of RFC 9110's tokens: methods and field names. */
  static boolean isToken(char c) {
    return c < ASCII_SIZE && TOKEN_CHARS[c];
  }

  /** Means the same percent-encoded and not, everywhere. */
  static boolean isUnreserved(int c) {
    return c < ASCII_SIZE && UNRESERVED_CHARS[c];
  }

  /** May stand in a segment of a path as it is; the semicolon, which begins parameters, is not. */
  static boolean isPathSegmentChar(int c) {
    return c < ASCII_SIZE && PATH_SEGMENT_CHARS[c];
  }

  /** Seen on paper and no space. */
  static boolean isVisible(char c) {
    return c > ' ' && c < 0x7f;
  }

  /** The value of a hexadecimal digit; negative if it is none. */
  static int hexValue(char c) {
    return c < ASCII_SIZE ? HEX_VALUES[c] : -1;
  }

  /** Appends a byte as {@code %XX}. */
  static void appendPercentEncoded(StringBuilder out, int octet) {
    out.append('%').append(HEX_DIGITS[octet >> 4 & 0xf]).append(HEX_DIGITS[octet & 0xf]);
  }

  /** In small letters; only for what holds no other than ASCII characters. */
  static String toLowerCase(String text) {
    return text.toLowerCase(Locale.ROOT);
  }
}
