package io.weir.internal.algorithm;

import org.jspecify.annotations.Nullable;

/**
 * The integer parameters of a limit, computed once when its rule is loaded. The Java and the Lua
 * implementations of the algorithms use the same numbers.
 *
 * <p>Buckets count in fractions of a permit, called units. The rate in lowest terms is {@link
 * #rateUnits} units per {@link #rateMicros} microseconds. With a million units per permit this
 * equals the permits per second (100/minute is 5/3), and stored states keep their meaning when the
 * limit is edited. Buckets above 4 billion permits use a thousand units per permit, to stay exact
 * below 2<sup>53</sup>.
 *
 * <p>The sliding counter weights the previous window in {@link #sliceCount} equal steps.
 *
 * @param permits the permits per period
 * @param periodMicros the length of the period, in microseconds
 * @param burst the size of the bucket or queue; equal to {@code permits} for windows
 * @param coolDownMicros how long a used fixed window stays open past its end, in microseconds
 * @param unitsPerPermit the number of units per permit of a bucket
 * @param rateUnits the number of units that drain in {@code rateMicros}
 * @param rateMicros the time in which {@code rateUnits} drain, in microseconds
 * @param sliceCount the number of steps in which the weight of the previous window falls
 * @param fillMicros the time in which a bucket drains from {@link #maxDebtLevel}; 0 if the limit
 *     cannot be computed as a bucket
 * @param window the only window that these parameters are for, if the windows follow a calendar;
 *     null if windows are aligned to the epoch
 */
public record LimitParameters(
    long permits,
    long periodMicros,
    long burst,
    long coolDownMicros,
    long unitsPerPermit,
    long rateUnits,
    long rateMicros,
    long sliceCount,
    long fillMicros,
    @Nullable CalendarWindow window) {

  /** Integers up to this value are exact in Lua, which only has doubles. */
  public static final long MAX_EXACT_INTEGER = 1L << 53;

  /** The largest burst, and the largest number of permits of a window. */
  public static final long MAX_BURST = 1_000_000_000_000L;

  /** The longest period: a leap year, in microseconds. */
  public static final long MAX_PERIOD_MICROS = 366L * 86_400 * 1_000_000;

  private static final long MAX_PERMITS_PER_MICRO = 10;
  private static final long MAX_FILL_MICROS = 50L * MAX_PERIOD_MICROS;
  private static final long FINE_UNITS_PER_PERMIT = 1_000_000;
  private static final long COARSE_UNITS_PER_PERMIT = 1_000;
  private static final long MAX_FINE_BURST = 4_000_000_000L;

  /** Computes the parameters; rejects a limit that the algorithm cannot compute exactly. */
  public static LimitParameters of(
      Algorithm algorithm, long permits, long period, long burst, long coolDown) {
    require(permits >= 1, "must allow at least 1 permit (was " + permits + ")");
    require(period >= 1, "must have a period of at least 1us (was " + period + "us)");
    require(period <= MAX_PERIOD_MICROS, "must have a period of at most 366 days");
    require(permits <= MAX_BURST, "must allow at most 1e12 permits");
    require(
        permits <= MAX_PERMITS_PER_MICRO * period, "must be at most 10 million permits per second");
    require(burst >= 1, "must have a burst of at least 1 (was " + burst + ")");
    require(burst <= MAX_BURST, "must have a burst of at most 1e12");
    require(coolDown >= 0 && coolDown < period, "must have a cool-down shorter than its period");
    return of(
        algorithm,
        permits,
        period,
        burst,
        coolDown,
        burst > MAX_FINE_BURST ? COARSE_UNITS_PER_PERMIT : FINE_UNITS_PER_PERMIT);
  }

  /** Returns a smaller limit with the same unit, so that both can use the same stored state. */
  public LimitParameters withPermits(Algorithm algorithm, long fewerPermits, long smallerBurst) {
    return of(algorithm, fewerPermits, periodMicros, smallerBurst, coolDownMicros, unitsPerPermit);
  }

  private static LimitParameters of(
      Algorithm algorithm, long permits, long period, long burst, long coolDown, long unit) {
    long commonDivisor = gcd(permits, period);
    long unitDivisor = gcd(unit, period / commonDivisor);
    long units = permits / commonDivisor * (unit / unitDivisor);
    long micros = period / commonDivisor / unitDivisor;
    long fill =
        isExact(burst * unit, units, micros)
            ? drainTime(2 * burst * unit + units, units, micros)
            : 0;
    LimitParameters parameters =
        new LimitParameters(
            permits,
            period,
            burst,
            coolDown,
            unit,
            units,
            micros,
            sliceCount(permits, period),
            fill,
            null);
    algorithm.check(parameters);
    return parameters;
  }

  /** Returns a limit that refuses everything, to be counted in fixed windows. */
  public static LimitParameters refusingAll(long period) {
    require(period <= MAX_PERIOD_MICROS, "must have a period of at most 366 days");
    return new LimitParameters(0, period, 0, 0, FINE_UNITS_PER_PERMIT, 0, 1, 1, 0, null);
  }

  /** Returns the size of the bucket, in units. */
  public long capacityUnits() {
    return burst * unitsPerPermit;
  }

  /**
   * Returns the maximum number of used units in the state of a bucket: its size, the same amount of
   * debt, and the units that drain within {@link #rateMicros} microseconds, which a state subtracts
   * only afterwards.
   */
  public long maxDebtLevel() {
    return 2 * capacityUnits() + rateUnits;
  }

  /** Returns the exact time in which {@code amount} units drain, rounded up to a microsecond. */
  public long drainTime(long amount) {
    return drainTime(amount, rateUnits, rateMicros);
  }

  private static long drainTime(long amount, long units, long micros) {
    if (units == 1) {
      return amount * micros;
    }
    if (micros == 1) {
      return ceilDiv(amount, units);
    }
    long intervals = amount / units;
    return intervals * micros + ceilDiv((amount - intervals * units) * micros, units);
  }

  /**
   * Returns the units that drain in {@code micros}, rounded down; {@code micros} must be less than
   * {@link #fillMicros}.
   */
  public long drainedUnits(long micros) {
    long intervals = micros / rateMicros;
    return intervals * rateUnits + (micros - intervals * rateMicros) * rateUnits / rateMicros;
  }

  /** Converts units to whole permits; divides by constants, which is faster than by a field. */
  public long toPermits(long amount) {
    return unitsPerPermit == FINE_UNITS_PER_PERMIT
        ? amount / FINE_UNITS_PER_PERMIT
        : amount / COARSE_UNITS_PER_PERMIT;
  }

  /** Returns these parameters for one window of a calendar, and its length as the period. */
  public LimitParameters in(CalendarWindow one) {
    return new LimitParameters(
        permits,
        one.end() - one.start(),
        burst,
        coolDownMicros,
        unitsPerPermit,
        rateUnits,
        rateMicros,
        sliceCount,
        fillMicros,
        one);
  }

  /** Returns the start of the window that contains {@code now}. */
  public long windowStart(long now) {
    return window == null ? now - now % periodMicros : window.start();
  }

  /** Returns the end of the window that contains {@code now}: the start of the next one. */
  public long windowEnd(long now) {
    return window == null ? windowStart(now) + periodMicros : window.end();
  }

  /** Rejects a bucket whose arithmetic would exceed the exact integers. */
  public void checkBucket() {
    if (fillMicros <= 0) {
      throw new IllegalArgumentException(
          "cannot be counted exactly with a burst of "
              + burst
              + ": it would take over 50 years to fill, or its rate in lowest terms is too long ("
              + rateUnits
              + " per "
              + rateMicros
              + " µs); write a smaller burst or a rounder number of permits");
    }
  }

  private static boolean isExact(long full, long units, long micros) {
    return units < MAX_EXACT_INTEGER / 2 / micros
        && full / units < MAX_FILL_MICROS / micros
        && 2 * full + units < MAX_EXACT_INTEGER;
  }

  /** Rejects windows that are too large to be weighted exactly. */
  public void checkSlices() {
    require(
        sliceCount >= 1000 || sliceCount == periodMicros,
        "cannot be counted exactly in sliding windows; write a rounder period or fewer permits");
  }

  /** Returns the period in microseconds, or in the finest exact 1, 2 or 5 times a power of ten. */
  private static long sliceCount(long permits, long period) {
    for (long power = 1; power <= period; power *= 10) {
      for (long grain : new long[] {power, 2 * power, 5 * power}) {
        if (period % grain == 0 && 2 * permits + 1 < MAX_EXACT_INTEGER / (period / grain)) {
          return period / grain;
        }
      }
    }
    return 1;
  }

  /** {@code a / b} rounded up, for a ≥ 0 and b > 0. */
  public static long ceilDiv(long a, long b) {
    return (a + b - 1) / b;
  }

  private static long gcd(long a, long b) {
    return b == 0 ? a : gcd(b, a % b);
  }

  private static void require(boolean condition, String reason) {
    if (!condition) {
      throw new IllegalArgumentException(reason);
    }
  }
}
