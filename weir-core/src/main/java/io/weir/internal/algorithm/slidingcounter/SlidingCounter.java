package io.weir.internal.algorithm.slidingcounter;

import io.weir.internal.algorithm.Algorithm;
import io.weir.internal.algorithm.CounterState;
import io.weir.internal.algorithm.LimitParameters;
import io.weir.internal.algorithm.WindowModel;

/**
 * Approximates a sliding window with two counters; the previous window is weighted by the fraction
 * of it that the trailing window still covers.
 *
 * <p>State: {@code used} permits of the window that started at {@code time}, and {@code previous}
 * permits of the window before it. The weight falls in equal slices of a microsecond, or coarser
 * ones if large limits would exceed the exact integers. It is rounded up by less than one permit.
 */
public final class SlidingCounter implements Algorithm {

  @Override
  public String name() {
    return "sliding-counter";
  }

  @Override
  public void advance(LimitParameters params, CounterState state, long now) {
    long window = params.windowStart(now);
    if (window > state.time) {
      state.previous = window <= state.time + params.periodMicros() ? state.used : 0;
      state.used = 0;
    } else if (window < state.time) {
      state.used = Math.min(state.used + state.previous, params.permits());
      state.previous = 0;
    }
    state.time = window;
    state.used = Math.min(state.used, 2 * params.permits()); // the limit may have been lowered
    state.previous = Math.min(state.previous, 2 * params.permits());
  }

  @Override
  public long available(LimitParameters params, CounterState state, long now) {
    return Math.max(0, params.permits() - estimate(params, state, now));
  }

  @Override
  public long debt(LimitParameters params, CounterState state, long now) {
    return Math.max(0, estimate(params, state, now) - params.permits());
  }

  /** Estimates the permits used in the trailing window, rounded up. */
  private static long estimate(LimitParameters params, CounterState state, long now) {
    long covered = params.sliceCount() - elapsedSlices(params, state, now);
    return state.used + LimitParameters.ceilDiv(state.previous * covered, params.sliceCount());
  }

  @Override
  public void charge(LimitParameters params, CounterState state, long when, long cost) {
    if (when >= state.time) {
      if (state.used + cost < 0) { // more than this window used: continue in the previous one
        state.previous = addClamped(params, state.previous, state.used + cost);
      }
      state.used = addClamped(params, state.used, cost);
    } else if (when >= state.time - params.periodMicros()) {
      state.previous = addClamped(params, state.previous, cost);
    }
  }

  @Override
  public long waitTime(LimitParameters params, CounterState state, long now, long cost) {
    long spare = params.permits() - state.used - cost;
    if (spare >= 0) {
      return Math.max(0, state.time + fadeTime(params, state.previous, spare) - now);
    }
    return state.time
        + params.periodMicros()
        + fadeTime(params, state.used, params.permits() - cost)
        - now;
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
  public void check(LimitParameters params) {
    params.checkSlices();
  }

  /**
   * Returns the time from the start of a window until {@code count} permits of the previous window
   * count as at most {@code spare}.
   */
  private static long fadeTime(LimitParameters params, long count, long spare) {
    if (count <= spare) {
      return 0;
    }
    long slice = params.sliceCount() - spare * params.sliceCount() / count;
    return slice * (params.periodMicros() / params.sliceCount());
  }

  private static long elapsedSlices(LimitParameters params, CounterState state, long now) {
    return (now - state.time) / (params.periodMicros() / params.sliceCount());
  }

  private static long addClamped(LimitParameters params, long used, long cost) {
    long maxUsed = 2 * params.permits();
    return Math.max(0, Math.min(used + Math.min(cost, maxUsed), maxUsed));
  }
}
