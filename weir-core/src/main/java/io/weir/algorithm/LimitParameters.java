package io.weir.algorithm;

/**
 * A limit as integers, compiled once when its rule is loaded; Java and Lua receive the same.
 *
 * <p>Buckets count in fractions of a permit: {@code unit} of them make one permit and {@code p} of
 * them drain every {@code q} microseconds, p/q being the rate in lowest terms. With a unit of a
 * million, p/q is simply the permits per second (100/minute is 5/3), and the numbers of a state
 * keep their meaning when the limit is edited. Only buckets above 4 billion permits use the coarser
 * unit of a thousand, to stay exact below 2<sup>53</sup>.
 *
 * <p>The sliding counter weighs its windows in {@code slices} equal steps.
 *
 * @param permits how many, per {@code period}
 * @param periodMicros how long, in microseconds
 * @param burst the size of the bucket or queue; equal to {@code permits} where there is neither
 * @param coolDownMicros for how long a used fixed window stays open past its end, in microseconds
 * @param unitsPerPermit how many units make one permit of a bucket
 * @param rateUnits how many units drain in q microseconds
 * @param rateMicros how many microseconds make a turn of the bucket
 * @param sliceCount in how many steps the weight of the window before falls
 * @param fillMicros the time in which a bucket at its {@link #maxDebtLevel} drains; 0 if it cannot
 *     be a bucket
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
    long fillMicros) {

  /** Integers up to here are exact in Lua. */
  public static final long MAX_EXACT_INTEGER = 1L << 53;

  /** The largest burst, and the largest number of permits of a window. */
  public static final long MAX_BURST = 1_000_000_000_000L;

  /** The longest period: a leap year. */
  public static final long MAX_PERIOD_MICROS = 366L * 86_400 * 1_000_000;

  private static final long MAX_PERMITS_PER_MICRO = 10;
  private static final long MAX_FILL_MICROS = 50L * MAX_PERIOD_MICROS;
  private static final long FINE_UNITS_PER_PERMIT = 1_000_000;
  private static final long COARSE_UNITS_PER_PERMIT = 1_000;
  private static final long MAX_FINE_BURST = 4_000_000_000L;

  /** Compiles a limit and refuses what the algorithm could not compute exactly. */
  public static LimitParameters of(
      Algorithm algorithm, long permits, long period, long burst, long coolDown) {
    require(permits >= 1, "allows " + permits + " permits; write at least 1");
    require(period >= 1, "has a period of " + period + " µs; write at least 1 µs");
    require(period <= MAX_PERIOD_MICROS, "has a period above 366 days; write a shorter one");
    require(permits <= MAX_BURST, "allows more than 1e12 permits; write fewer");
    require(
        permits <= MAX_PERMITS_PER_MICRO * period,
        "is faster than 10 million a second; write a lower rate");
    require(burst >= 1, "has a burst of " + burst + "; write at least 1");
    require(burst <= MAX_BURST, "has a burst above 1e12; write a smaller one");
    require(
        coolDown >= 0 && coolDown < period,
        "has a cool-down that is not shorter than its period; write a shorter one");
    return of(
        algorithm,
        permits,
        period,
        burst,
        coolDown,
        burst > MAX_FINE_BURST ? COARSE_UNITS_PER_PERMIT : FINE_UNITS_PER_PERMIT);
  }

  /** A part of this limit, counted in the same unit, so that a state means the same to both. */
  public LimitParameters withPermits(Algorithm algorithm, long fewer, long smaller) {
    return of(algorithm, fewer, periodMicros, smaller, coolDownMicros, unitsPerPermit);
  }

  private static LimitParameters of(
      Algorithm algorithm, long permits, long period, long burst, long coolDown, long unit) {
    long common = gcd(permits, period);
    long among = gcd(unit, period / common);
    long p = permits / common * (unit / among);
    long q = period / common / among;
    long fill = isExact(burst * unit, p, q) ? drainTime(2 * burst * unit + p, p, q) : 0;
    LimitParameters terms =
        new LimitParameters(
            permits, period, burst, coolDown, unit, p, q, sliceCount(permits, period), fill);
    algorithm.check(terms);
    return terms;
  }

  /** A limit under which nothing fits, whatever the algorithm; to be counted in fixed windows. */
  public static LimitParameters refusingAll(long period) {
    require(period <= MAX_PERIOD_MICROS, "has a period above 366 days; write a shorter one");
    return new LimitParameters(0, period, 0, 0, FINE_UNITS_PER_PERMIT, 0, 1, 1, 0);
  }

  /** The whole bucket, in units. */
  public long capacityUnits() {
    return burst * unitsPerPermit;
  }

  /**
   * The most units a bucket's state may say are used: its size, as much again in debt, and what may
   * trickle in during a turn, which a state does not subtract before the turn is over.
   */
  public long maxDebtLevel() {
    return 2 * capacityUnits() + rateUnits;
  }

  /** The exact time in which {@code amount} units drain, rounded up to a microsecond. */
  public long drainTime(long amount) {
    return drainTime(amount, rateUnits, rateMicros);
  }

  private static long drainTime(long amount, long p, long q) {
    if (p == 1) {
      return amount * q;
    }
    if (q == 1) {
      return ceilDiv(amount, p);
    }
    long turns = amount / p;
    return turns * q + ceilDiv((amount - turns * p) * q, p);
  }

  /**
   * The units that drain in {@code micros}, which must be less than {@link #fillMicros}, rounded
   * down.
   */
  public long drainedUnits(long micros) {
    long turns = micros / rateMicros;
    return turns * rateUnits + (micros - turns * rateMicros) * rateUnits / rateMicros;
  }

  /** Whole permits in {@code amount} units; the two units there are, so that none is divided by. */
  public long toPermits(long amount) {
    return unitsPerPermit == FINE_UNITS_PER_PERMIT
        ? amount / FINE_UNITS_PER_PERMIT
        : amount / COARSE_UNITS_PER_PERMIT;
  }

  /** The beginning of the window that holds {@code now}. */
  public long windowStart(long now) {
    return now - now % periodMicros;
  }

  /** Refuses a bucket whose arithmetic would leave the exact integers. */
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

  private static boolean isExact(long full, long p, long q) {
    return p < MAX_EXACT_INTEGER / 2 / q
        && full / p < MAX_FILL_MICROS / q
        && 2 * full + p < MAX_EXACT_INTEGER;
  }

  /** Refuses windows too large to be weighed exactly. */
  public void checkSlices() {
    require(
        sliceCount >= 1000 || sliceCount == periodMicros,
        "cannot be weighed exactly; write a rounder period or fewer permits");
  }

  /** The period in microseconds, or in the finest 1, 2 or 5 times a power of ten that is exact. */
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
