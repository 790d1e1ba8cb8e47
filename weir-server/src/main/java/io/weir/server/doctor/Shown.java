package io.weir.server.doctor;

import java.util.List;
import java.util.Locale;

/** How findings show things. */
final class Shown {
  private static final int MOST_NAMES = 5;
  private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB"};

  private Shown() {}

  /** An address without its password. */
  static String url(String url) {
    return url.replaceAll("//[^/@]*@", "//").replaceAll("[?;].*", "");
  }

  /** Some names, and how many more there are. */
  static String names(List<String> names) {
    String first = String.join(", ", names.subList(0, Math.min(names.size(), MOST_NAMES)));
    return names.size() <= MOST_NAMES
        ? first
        : first + " and " + (names.size() - MOST_NAMES) + " more";
  }

  static String bytes(long bytes) {
    double shown = bytes;
    int unit = 0;
    while (shown >= 1024 && unit < UNITS.length - 1) {
      shown /= 1024;
      unit++;
    }
    return String.format(Locale.ROOT, unit == 0 ? "%.0f %s" : "%.1f %s", shown, UNITS[unit]);
  }

  static String millis(long micros) {
    return String.format(Locale.ROOT, "%.1f ms", micros / 1000.0);
  }

  /** What others wrote, in one line. */
  static String line(String text) {
    return text.strip().replaceAll("\\s*[\\r\\n]+\\s*", " ");
  }
}
