package io.weir.http;

import java.util.Locale;

/** Characters as HTTP and URIs know them. */
final class Ascii {
  private static final int SIZE = 128;
  private static final String LETTERS_AND_DIGITS =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  private static final boolean[] TOKEN = table(LETTERS_AND_DIGITS + "!#$%&'*+-.^_`|~");
  private static final boolean[] UNRESERVED = table(LETTERS_AND_DIGITS + "-._~");
  private static final boolean[] PATH = table(LETTERS_AND_DIGITS + "-._~!$&'()*+,=:@");
  private static final byte[] HEX = hexDigits();
  private static final char[] DIGITS = "0123456789ABCDEF".toCharArray();

  private Ascii() {}

  private static boolean[] table(String members) {
    boolean[] table = new boolean[SIZE];
    members.chars().forEach(c -> table[c] = true);
    return table;
  }

  private static byte[] hexDigits() {
    byte[] digits = new byte[SIZE];
    for (char c = 0; c < SIZE; c++) {
      digits[c] = (byte) Character.digit(c, 16);
    }
    return digits;
  }

  /** Of RFC 9110's tokens: methods and field names. */
  static boolean isToken(char c) {
    return c < SIZE && TOKEN[c];
  }

  /** Means the same percent-encoded and not, everywhere. */
  static boolean isUnreserved(int c) {
    return c < SIZE && UNRESERVED[c];
  }

  /** May stand in a segment of a path as it is; the semicolon, which begins parameters, is not. */
  static boolean isPath(int c) {
    return c < SIZE && PATH[c];
  }

  /** Seen on paper and no space. */
  static boolean isVisible(char c) {
    return c > ' ' && c < 0x7f;
  }

  /** The value of a hexadecimal digit; negative if it is none. */
  static int hex(char c) {
    return c < SIZE ? HEX[c] : -1;
  }

  /** Appends a byte as {@code %XX}. */
  static void percent(StringBuilder out, int octet) {
    out.append('%').append(DIGITS[octet >> 4 & 0xf]).append(DIGITS[octet & 0xf]);
  }

  /** In small letters; only for what holds no other than ASCII characters. */
  static String lower(String text) {
    return text.toLowerCase(Locale.ROOT);
  }
}
