package io.weir.cli.doctor;

import java.util.List;
import java.util.Locale;

/** Formats URLs, names and numbers in findings. */
final class FindingFormat {
  private static final int MAX_NAMES = 5;
  private static final String[] BYTE_UNITS = {"B", "KiB", "MiB", "GiB", "TiB"};

  private FindingFormat() {}

  /** Returns a URL without user info and query, which may hold secrets. */
  static String urlWithoutSecrets(String url) {
    return url.replaceAll("//[^/@]*@", "//").replaceAll("[?;].*", "");
  }

  /** Returns the first names, and the number of the others. */
  static String names(List<String> names) {
    String first = String.join(", ", names.subList(0, Math.min(names.size(), MAX_NAMES)));
    return names.size() <= MAX_NAMES
        ? first
        : first + " and " + (names.size() - MAX_NAMES) + " more";
  }

  static String bytes(long bytes) {
    double shown = bytes;
    int unit = 0;
    while (shown >= 1024 && unit < BYTE_UNITS.length - 1) {
      shown /= 1024;
      unit++;
    }
    return String.format(Locale.ROOT, unit == 0 ? "%.0f %s" : "%.1f %s", shown, BYTE_UNITS[unit]);
  }

  static String millis(long micros) {
    return String.format(Locale.ROOT, "%.1f ms", micros / 1000.0);
  }

  /** Returns foreign text in one line. */
  static String singleLine(String text) {
    return text.strip().replaceAll("\\s*[\\r\\n]+\\s*", " ");
  }
}
