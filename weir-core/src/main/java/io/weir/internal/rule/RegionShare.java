package io.weir.internal.rule;

import io.weir.internal.algorithm.Algorithm;
import io.weir.internal.algorithm.LimitParameters;
import org.jspecify.annotations.Nullable;

/**
 * The share of a budget that one region enforces.
 *
 * @param permille the share in thousandths; zero refuses everything
 */
record RegionShare(int permille) {
  static final RegionShare WHOLE = new RegionShare(1000);

  RegionShare {
    if (permille < 0 || permille > 1000) {
      throw new IllegalArgumentException(
          "share must be between 0 and 1000 thousandths (was " + permille + ")");
    }
  }

  /** Returns this share of a number of permits, rounded down, but at least one. */
  private long of(long permits) {
    return Math.max(1, permits / 1000 * permille + permits % 1000 * permille / 1000);
  }

  /**
   * Returns this share of a limit. If it cannot be computed exactly, it is rounded down to two
   * significant digits, or to one.
   */
  LimitParameters of(Algorithm algorithm, LimitParameters whole) {
    if (permille == WHOLE.permille || whole.permits() == 0) {
      return whole;
    }
    if (permille == 0) {
      return LimitParameters.refusingAll(whole.periodMicros());
    }
    long permits = of(whole.permits());
    long burst = of(whole.burst());
    long power = powerOfTen(permits);
    for (long grain : new long[] {1, Math.max(1, power / 10), power}) {
      LimitParameters scaled = tryScale(algorithm, whole, permits - permits % grain, burst);
      if (scaled != null) {
        return scaled;
      }
    }
    return whole.withPermits(algorithm, power, Math.min(burst, power));
  }

  private static @Nullable LimitParameters tryScale(
      Algorithm algorithm, LimitParameters whole, long permits, long burst) {
    try {
      return whole.withPermits(algorithm, permits, burst);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  /**
   * Checks that a limit can be scaled down to 1, 10, 100 and so on, so that every share is
   * possible.
   */
  static void check(Algorithm algorithm, LimitParameters whole) {
    for (long power = 1; power <= whole.permits(); power *= 10) {
      var unused = whole.withPermits(algorithm, power, Math.min(whole.burst(), power));
    }
  }

  private static long powerOfTen(long number) {
    long power = 1;
    while (number / power >= 10) {
      power *= 10;
    }
    return power;
  }
}
