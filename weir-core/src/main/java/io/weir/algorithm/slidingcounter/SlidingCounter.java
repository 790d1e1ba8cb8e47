package io.weir.algorithm.slidingcounter;

import io.weir.algorithm.Algorithm;
import io.weir.algorithm.State;
import io.weir.algorithm.Terms;

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
  public void age(Terms t, State s, long now) {
    long window = t.window(now);
    if (window > s.time) {
      s.before = window <= s.time + t.period() ? s.used : 0;
      s.used = 0;
    } else if (window < s.time) {
      s.used = Math.min(s.used + s.before, t.permits());
      s.before = 0;
    }
    s.time = window;
    s.used = Math.min(s.used, 2 * t.permits()); // the limit may have been lowered
    s.before = Math.min(s.before, 2 * t.permits());
  }

  @Override
  public long room(Terms t, State s, long now) {
    return Math.max(0, t.permits() - used(t, s, now));
  }

  @Override
  public long debt(Terms t, State s, long now) {
    return Math.max(0, used(t, s, now) - t.permits());
  }

  /** The permits of the trailing window, the weight of the window before rounded up. */
  private static long used(Terms t, State s, long now) {
    long covered = t.slices() - slice(t, s, now);
    return s.used + Terms.ceilDiv(s.before * covered, t.slices());
  }

  @Override
  public void charge(Terms t, State s, long when, long cost) {
    if (when >= s.time) {
      if (s.used + cost < 0) { // what this window did not use, the one before did
        s.before = charged(t, s.before, s.used + cost);
      }
      s.used = charged(t, s.used, cost);
    } else if (when >= s.time - t.period()) {
      s.before = charged(t, s.before, cost);
    }
  }

  @Override
  public long waitFor(Terms t, State s, long now, long cost) {
    long spare = t.permits() - s.used - cost;
    if (spare >= 0) {
      return Math.max(0, s.time + fades(t, s.before, spare) - now);
    }
    return s.time + t.period() + fades(t, s.used, t.permits() - cost) - now;
  }

  @Override
  public long most(Terms t) {
    return t.permits();
  }

  @Override
  public void check(Terms t) {
    t.checkSlices();
  }

  /** How far into a window {@code count} permits of the one before weigh at most {@code spare}. */
  private static long fades(Terms t, long count, long spare) {
    if (count <= spare) {
      return 0;
    }
    long slice = t.slices() - spare * t.slices() / count;
    return slice * (t.period() / t.slices());
  }

  private static long slice(Terms t, State s, long now) {
    return (now - s.time) / (t.period() / t.slices());
  }

  private static long charged(Terms t, long used, long cost) {
    long most = 2 * t.permits();
    return Math.max(0, Math.min(used + Math.min(cost, most), most));
  }
}
