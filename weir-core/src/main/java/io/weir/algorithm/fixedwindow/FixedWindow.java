package io.weir.algorithm.fixedwindow;

import io.weir.algorithm.Algorithm;
import io.weir.algorithm.CounterState;
import io.weir.algorithm.LimitParameters;

/**
 * So many permits in each window, all back when the next one begins.
 *
 * <p>State: {@code used} permits of the window that began at {@code time}. A window that was used
 * stays open for the cool-down past its end: what is left of it may still be taken, and the next
 * one begins after.
 */
public final class FixedWindow implements Algorithm {

  @Override
  public String name() {
    return "fixed-window";
  }

  @Override
  public void advance(LimitParameters t, CounterState s, long now) {
    if (s.time > now) {
      s.time = t.windowStart(now);
    } else if (s.used == 0 || now >= windowEnd(t, s)) {
      s.time = t.windowStart(now);
      s.used = 0;
    }
  }

  @Override
  public long available(LimitParameters t, CounterState s, long now) {
    return Math.max(0, t.permits() - s.used);
  }

  @Override
  public long debt(LimitParameters t, CounterState s, long now) {
    return Math.max(0, s.used - t.permits());
  }

  @Override
  public void charge(LimitParameters t, CounterState s, long when, long cost) {
    if (when >= s.time) {
      long most = 2 * t.permits();
      s.used = Math.max(0, Math.min(s.used + Math.min(cost, most), most));
    }
  }

  /**
   * The beginning of the window it was charged in. During a cool-down that is not the window of its
   * time: dated at its time, it would be given back in the next window too. A reset told a little
   * later than the charge is rounded to the same window.
   */
  @Override
  public long chargedAt(LimitParameters t, long time, long reset, long cost) {
    long begin = time + reset - t.periodMicros() - t.coolDownMicros();
    return LimitParameters.ceilDiv(begin, t.periodMicros()) * t.periodMicros();
  }

  @Override
  public long waitTime(LimitParameters t, CounterState s, long now, long cost) {
    return s.used + cost <= t.permits() ? 0 : windowEnd(t, s) - now;
  }

  @Override
  public long capacity(LimitParameters t) {
    return t.permits();
  }

  @Override
  public boolean hasCoolDown() {
    return true;
  }

  private static long windowEnd(LimitParameters t, CounterState s) {
    return s.time + t.periodMicros() + t.coolDownMicros();
  }
}
