package io.weir.client;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Parses decimal numbers from untrusted input: digits with an optional fraction. */
final class NumberParser {
  static final long NONE = -1;

  /** Larger numbers are reduced to this value; no count or time here needs more. */
  static final long MAX_VALUE = 1_000_000_000_000_000L;

  private static final int MAX_LENGTH = 64;
  private static final Pattern NUMBER = Pattern.compile("[0-9]+(\\.[0-9]+)?");

  private NumberParser() {}

  /** Parses a non-negative number, rounded down; {@link #NONE} if it is invalid. */
  static long parseFloor(@Nullable String text) {
    return parseScaled(text, 1, RoundingMode.FLOOR);
  }

  /** Parses a number of units, rounded up, so that waits are never too short. */
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
