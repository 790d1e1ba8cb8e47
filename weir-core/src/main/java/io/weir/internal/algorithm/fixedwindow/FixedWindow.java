package io.weir.internal.algorithm.fixedwindow;

import io.weir.internal.algorithm.Algorithm;
import io.weir.internal.algorithm.CalendarWindow;
import io.weir.internal.algorithm.CounterState;
import io.weir.internal.algorithm.LimitParameters;
import io.weir.internal.algorithm.WindowModel;

/**
 * A fixed number of permits per window; all of them are available again when the next window
 * starts. A window has the length of the period, or is a unit of a calendar.
 *
 * <p>State: {@code used} permits of the window that started at {@code time}. A used window stays
 * open for the cool-down past its end: its remaining permits can still be taken, and the next
 * window starts afterwards.
 */
public final class FixedWindow implements Algorithm {

  @Override
  public String name() {
    return "fixed-window";
  }

  @Override
  public void advance(LimitParameters params, CounterState state, long now) {
    if (state.time > now) {
      state.time = params.windowStart(now);
    } else if (state.used == 0 || hasEnded(params, state, now)) {
      state.time = params.windowStart(now);
      state.used = 0;
    }
  }

  @Override
  public long available(LimitParameters params, CounterState state, long now) {
    return Math.max(0, params.permits() - state.used);
  }

  @Override
  public long debt(LimitParameters params, CounterState state, long now) {
    return Math.max(0, state.used - params.permits());
  }

  @Override
  public void charge(LimitParameters params, CounterState state, long when, long cost) {
    if (when >= state.time) {
      long maxUsed = 2 * params.permits();
      state.used = Math.max(0, Math.min(state.used + Math.min(cost, maxUsed), maxUsed));
    }
  }

  /**
   * Returns the start of the window in which the permits were charged. During a cool-down this is
   * not the window that contains the time of the charge, so a refund dated at that time would also
   * apply to the next window. A reset reported slightly after the charge is rounded to the same
   * window.
   */
  @Override
  public long chargedAt(LimitParameters params, long time, long reset, long cost) {
    if (params.window() != null) {
      return time; // there is no cool-down
    }
    long begin = time + reset - params.periodMicros() - params.coolDownMicros();
    return LimitParameters.ceilDiv(begin, params.periodMicros()) * params.periodMicros();
  }

  @Override
  public long waitTime(LimitParameters params, CounterState state, long now, long cost) {
    return state.used + cost <= params.permits() ? 0 : windowEnd(params, state) - now;
  }

  @Override
  public WindowModel windowModel() {
    return WindowModel.ALIGNED;
  }

  @Override
  public long capacity(LimitParameters params) {
    return params.permits();
  }

  @Override
  public boolean hasCoolDown() {
    return true;
  }

  private static boolean hasEnded(LimitParameters params, CounterState state, long now) {
    CalendarWindow window = params.window();
    return window == null ? now >= windowEnd(params, state) : state.time < window.since();
  }

  private static long windowEnd(LimitParameters params, CounterState state) {
    CalendarWindow window = params.window();
    return window == null
        ? state.time + params.periodMicros() + params.coolDownMicros()
        : window.end();
  }
}
