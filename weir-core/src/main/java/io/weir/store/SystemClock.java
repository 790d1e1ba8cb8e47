package io.weir.store;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Instant;
import java.util.function.LongSupplier;

/**
 * A clock that runs by the monotonic timer, follows the wall clock and never steps back.
 *
 * <p>Time is a piecewise linear function of the timer, with pieces of up to 100 ms. A read costs
 * one read of the timer and one of the current piece. The first reader past the end of a piece
 * compares it with the wall clock and starts the next piece, whose slope corrects the difference:
 *
 * <ul>
 *   <li>below 0.1 ms: nothing;
 *   <li>otherwise the clock runs faster or slower by at most 0.5 %, 5 ms a second, until the
 *       difference is gone;
 *   <li>if the wall clock is ahead by more than a second, at two checks in a row, the clock steps
 *       forward to it;
 *   <li>if the wall clock is behind, however far, the clock only runs slower: an hour takes eight
 *       days. A clock that stood still would stop every refill.
 * </ul>
 *
 * <p>All threads read from the same piece at any time, so a later read never returns less, on any
 * thread. A clock that is not read for long is corrected at the next read.
 */
final class SystemClock implements Clock {
  static final long CHECK_INTERVAL_NANOS = 100_000_000;
  static final long STEP_THRESHOLD_NANOS = 1_000_000_000;
  static final long TOLERANCE_NANOS = 100_000;

  /** The largest correction from one check to the next: 0.5 %. */
  private static final long MAX_SLEW_NANOS = CHECK_INTERVAL_NANOS / 200;

  /** A slower read of the wall clock is ignored: the thread may have been descheduled. */
  private static final long MAX_READING_NANOS = 1_000_000;

  static final SystemClock INSTANCE = new SystemClock(System::nanoTime, SystemClock::wallNanos);

  private static final VarHandle PIECE;

  static {
    try {
      PIECE = MethodHandles.lookup().findVarHandle(SystemClock.class, "piece", LinearPiece.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final LongSupplier timer;
  private final LongSupplier wall;
  private volatile LinearPiece piece;

  /**
   * @param timer the monotonic timer, in nanoseconds of any origin
   * @param wall the wall clock, in nanoseconds since the epoch
   */
  SystemClock(LongSupplier timer, LongSupplier wall) {
    this.timer = timer;
    this.wall = wall;
    long from = timer.getAsLong();
    piece = new LinearPiece(from, wall.getAsLong(), 0, false);
  }

  /** The wall clock of this machine. */
  static long wallNanos() {
    Instant now = Instant.now();
    return now.getEpochSecond() * 1_000_000_000 + now.getNano();
  }

  @Override
  public long micros() {
    while (true) {
      LinearPiece current =
          piece; // read before the timer, so that the timer is not behind the piece
      long now = timer.getAsLong();
      if (now - current.from < CHECK_INTERVAL_NANOS) {
        return current.at(now) / 1000;
      }
      PIECE.compareAndSet(this, current, nextPiece(current, now));
    }
  }

  @Override
  public long wallMicros() {
    return wall.getAsLong() / 1000;
  }

  private LinearPiece nextPiece(LinearPiece last, long now) {
    // past the end of the last piece, which may be long ago, time runs at the timer's rate
    long time =
        last.at(last.from + CHECK_INTERVAL_NANOS) + (now - last.from - CHECK_INTERVAL_NANOS);
    long ahead = wall.getAsLong() - time;
    if (timer.getAsLong() - now > MAX_READING_NANOS) {
      return new LinearPiece(now, time, 0, last.isBehind);
    }
    if (ahead > STEP_THRESHOLD_NANOS) {
      return last.isBehind
          ? new LinearPiece(now, time + ahead, 0, false)
          : new LinearPiece(now, time, 0, true);
    }
    long slew = Math.max(-MAX_SLEW_NANOS, Math.min(MAX_SLEW_NANOS, ahead));
    return new LinearPiece(now, time, Math.abs(ahead) < TOLERANCE_NANOS ? 0 : slew, false);
  }

  /** The time between two checks, as a linear function of the timer. */
  private static final class LinearPiece {
    final long from;
    final long time;
    final long slew; // in units of 2^-20 of the timer
    final boolean isBehind;

    /**
     * @param from the timer at the start of the piece
     * @param time the time at the start of the piece, in nanoseconds since the epoch
     * @param slew how many nanoseconds faster than the timer, from one check to the next
     * @param isBehind whether the wall clock was found to be more than a second ahead
     */
    LinearPiece(long from, long time, long slew, boolean isBehind) {
      this.from = from;
      this.time = time;
      this.slew = (slew << 20) / CHECK_INTERVAL_NANOS;
      this.isBehind = isBehind;
    }

    long at(long timer) {
      long passed = timer - from;
      return time + passed + ((passed * slew) >> 20);
    }
  }
}
