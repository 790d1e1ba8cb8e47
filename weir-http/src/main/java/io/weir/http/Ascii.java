package io.weir.http;

import java.util.Locale;

/** Characters as HTTP knows them. */
final class Ascii {

  private Ascii() {}

  static String lower(String text) {
    return text.toLowerCase(Locale.ROOT);
  }
}
