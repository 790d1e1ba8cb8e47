package io.weir.client;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Numbers as strangers write them: digits, perhaps a fraction; anything else is none. */
final class NumberParser {
  static final long NONE = -1;

  /** What is larger is taken for it: no count and no time here has to tell them apart. */
  static final long MAX_VALUE = 1_000_000_000_000_000L;

  private static final int MAX_LENGTH = 64;
  private static final Pattern NUMBER = Pattern.compile("[0-9]+(\\.[0-9]+)?");

  private NumberParser() {}

  /** A number of 0 or more, rounded down; {@link #NONE} if it is not one. */
  static long parseFloor(@Nullable String text) {
    return parseScaled(text, 1, RoundingMode.FLOOR);
  }

  /** So many of a unit, rounded up, so that nobody comes too early. */
  static long parseCeil(@Nullable String text, long unit) {
    return parseScaled(text, unit, RoundingMode.CEILING);
  }

  private static long parseScaled(@Nullable String text, long unit, RoundingMode rounding) {
    String bare = text == null ? "" : text.strip();
    if (bare.length() > MAX_LENGTH || !NUMBER.matcher(bare).matches()) {
      return NONE;
    }
    return new BigDecimal(bare)
        .multiply(BigDecimal.valueOf(unit))
        .setScale(0, rounding)
        .min(BigDecimal.valueOf(MAX_VALUE))
        .longValue();
  }
}
