package io.weir.algorithm.slidingcounter;

import io.weir.algorithm.Algorithm;
import io.weir.algorithm.CounterState;
import io.weir.algorithm.LimitParameters;

/**
 * Two counters, the window before weighed by how much of it the trailing window still covers.
 *
 * <p>State: {@code used} permits of the window that began at {@code time}, {@code before} of the
 * one before it. The weight falls in equal slices (of a microsecond, or coarser where a day of
 * millions would leave the exact integers), rounded against the caller by less than one permit.
 */
public final class SlidingCounter implements Algorithm {

  @Override
  public String name() {
    return "sliding-counter";
  }

  @Override
  public void advance(LimitParameters t, CounterState s, long now) {
    long window = t.windowStart(now);
    if (window > s.time) {
      s.previous = window <= s.time + t.periodMicros() ? s.used : 0;
      s.used = 0;
    } else if (window < s.time) {
      s.used = Math.min(s.used + s.previous, t.permits());
      s.previous = 0;
    }
    s.time = window;
    s.used = Math.min(s.used, 2 * t.permits()); // the limit may have been lowered
    s.previous = Math.min(s.previous, 2 * t.permits());
  }

  @Override
  public long available(LimitParameters t, CounterState s, long now) {
    return Math.max(0, t.permits() - estimate(t, s, now));
  }

  @Override
  public long debt(LimitParameters t, CounterState s, long now) {
    return Math.max(0, estimate(t, s, now) - t.permits());
  }

  /** The permits of the trailing window, the weight of the window before rounded up. */
  private static long estimate(LimitParameters t, CounterState s, long now) {
    long covered = t.sliceCount() - elapsedSlices(t, s, now);
    return s.used + LimitParameters.ceilDiv(s.previous * covered, t.sliceCount());
  }

  @Override
  public void charge(LimitParameters t, CounterState s, long when, long cost) {
    if (when >= s.time) {
      if (s.used + cost < 0) { // what this window did not use, the one before did
        s.previous = addClamped(t, s.previous, s.used + cost);
      }
      s.used = addClamped(t, s.used, cost);
    } else if (when >= s.time - t.periodMicros()) {
      s.previous = addClamped(t, s.previous, cost);
    }
  }

  @Override
  public long waitTime(LimitParameters t, CounterState s, long now, long cost) {
    long spare = t.permits() - s.used - cost;
    if (spare >= 0) {
      return Math.max(0, s.time + fadeTime(t, s.previous, spare) - now);
    }
    return s.time + t.periodMicros() + fadeTime(t, s.used, t.permits() - cost) - now;
  }

  @Override
  public long capacity(LimitParameters t) {
    return t.permits();
  }

  @Override
  public void check(LimitParameters t) {
    t.checkSlices();
  }

  /** How far into a window {@code count} permits of the one before weigh at most {@code spare}. */
  private static long fadeTime(LimitParameters t, long count, long spare) {
    if (count <= spare) {
      return 0;
    }
    long slice = t.sliceCount() - spare * t.sliceCount() / count;
    return slice * (t.periodMicros() / t.sliceCount());
  }

  private static long elapsedSlices(LimitParameters t, CounterState s, long now) {
    return (now - s.time) / (t.periodMicros() / t.sliceCount());
  }

  private static long addClamped(LimitParameters t, long used, long cost) {
    long most = 2 * t.permits();
    return Math.max(0, Math.min(used + Math.min(cost, most), most));
  }
}
