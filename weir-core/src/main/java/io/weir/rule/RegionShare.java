package io.weir.rule;

import io.weir.algorithm.Algorithm;
import io.weir.algorithm.LimitParameters;
import org.jspecify.annotations.Nullable;

/**
 * The part of a budget that one region enforces.
 *
 * @param permille in thousandths; zero refuses everything
 */
record RegionShare(int permille) {
  static final RegionShare WHOLE = new RegionShare(1000);

  RegionShare {
    if (permille < 0 || permille > 1000) {
      throw new IllegalArgumentException(
          "a share of " + permille + " thousandths cannot be; write 0 to 1000");
    }
  }

  /** That part of a number of permits, rounded down, but at least one. */
  private long of(long permits) {
    return Math.max(1, permits / 1000 * permille + permits % 1000 * permille / 1000);
  }

  /**
   * That part of a limit. Where it would not be exact, it is rounded down to what is: two digits,
   * or one.
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
      LimitParameters part = tryScale(algorithm, whole, permits - permits % grain, burst);
      if (part != null) {
        return part;
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
   * Refuses a limit that does not even have parts of 1, 10, 100 and so on that could be counted.
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
