package io.weir.internal.algorithm.tokenbucket;

import io.weir.internal.algorithm.Algorithm;
import io.weir.internal.algorithm.CounterState;
import io.weir.internal.algorithm.LimitParameters;
import io.weir.internal.algorithm.WindowModel;

/**
 * A token bucket: allows bursts up to the bucket size, and the refill rate in the long run.
 *
 * <p>State: {@code used} units have been taken from a full bucket as of {@code time}. {@code time}
 * only advances by whole multiples of {@code rateMicros}, each of which drains {@code rateUnits}.
 * Units that have drained since are added when the state is read, so no fraction is lost to
 * rounding and the long-run rate is exact.
 */
public class TokenBucket implements Algorithm {

  @Override
  public String name() {
    return "token-bucket";
  }

  @Override
  public void advance(LimitParameters params, CounterState state, long now) {
    if (state.used > params.maxDebtLevel()) {
      state.used = params.maxDebtLevel(); // the limit was lowered
    }
    long elapsed = now - state.time;
    if (elapsed < 0) {
      state.used = Math.min(state.used, params.capacityUnits());
      state.time = now;
    } else if (state.used == 0 || elapsed >= params.fillMicros()) {
      state.used = 0;
      state.time = now;
    } else {
      long intervals = params.rateMicros() == 1 ? elapsed : elapsed / params.rateMicros();
      long drained = intervals * params.rateUnits();
      long rest = elapsed - intervals * params.rateMicros();
      if (drained + partialDrain(params, rest) >= state.used) {
        state.used = 0;
        state.time = now;
      } else {
        state.used -= drained;
        state.time = now - rest;
      }
    }
  }

  @Override
  public long available(LimitParameters params, CounterState state, long now) {
    long free = params.capacityUnits() - state.used + partialDrain(params, now - state.time);
    return free <= 0 ? 0 : Math.min(params.toPermits(free), params.burst());
  }

  @Override
  public long debt(LimitParameters params, CounterState state, long now) {
    long free = params.capacityUnits() - state.used + partialDrain(params, now - state.time);
    return free >= 0 ? 0 : params.toPermits(-free);
  }

  @Override
  public void charge(LimitParameters params, CounterState state, long when, long cost) {
    if (cost < 0) {
      state.used = Math.max(0, state.used - toUnits(params, -cost));
    } else {
      state.used =
          Math.min(
              state.used + Math.min(cost, 2 * params.burst()) * params.unitsPerPermit(),
              params.maxDebtLevel());
    }
  }

  /**
   * Refunds only the permits that have not drained yet. Permits drain in the order in which they
   * were charged; refunding drained ones would let a caller accumulate more than the bucket size.
   */
  @Override
  public void refund(LimitParameters params, CounterState state, long now, long when, long cost) {
    long elapsed = now - when;
    if (!hasExpired(params, elapsed)) {
      long undrained = toUnits(params, cost) - (elapsed > 0 ? params.drainedUnits(elapsed) : 0);
      state.used = Math.max(0, state.used - Math.max(0, undrained));
    }
  }

  @Override
  public long chargedAt(LimitParameters params, long time, long reset, long cost) {
    return time + Math.max(0, reset - params.drainTime(toUnits(params, cost)));
  }

  @Override
  public boolean hasExpired(LimitParameters params, long elapsed) {
    return elapsed >= params.fillMicros();
  }

  /** Converts permits to units, at most the maximum that a state can hold. */
  private static long toUnits(LimitParameters params, long cost) {
    return cost > params.toPermits(params.maxDebtLevel())
        ? params.maxDebtLevel()
        : cost * params.unitsPerPermit();
  }

  @Override
  public long waitTime(LimitParameters params, CounterState state, long now, long cost) {
    long missing = state.used - (params.burst() - cost) * params.unitsPerPermit();
    return missing <= 0 ? 0 : Math.max(0, params.drainTime(missing) - (now - state.time));
  }

  @Override
  public long capacity(LimitParameters params) {
    return params.burst();
  }

  @Override
  public WindowModel windowModel() {
    return WindowModel.CONTINUOUS;
  }

  @Override
  public void check(LimitParameters params) {
    params.checkBucket();
  }

  /** Returns the units that drain in less than {@code rateMicros}. */
  private static long partialDrain(LimitParameters params, long micros) {
    return micros == 0 || params.rateUnits() == 1
        ? 0
        : micros * params.rateUnits() / params.rateMicros();
  }
}
