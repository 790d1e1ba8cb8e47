package io.weir.algorithm.tokenbucket;

import io.weir.algorithm.Algorithm;
import io.weir.algorithm.CounterState;
import io.weir.algorithm.LimitParameters;

/**
 * Bursts up to the bucket's size, then the refill rate.
 *
 * <p>State: {@code used} units have been taken from a full bucket as of {@code time}. Only whole
 * turns of q microseconds move {@code time} on, each draining p units; what has trickled in since
 * is added when asked, so no fraction is ever rounded away and the long-run rate is exact.
 */
public class TokenBucket implements Algorithm {

  @Override
  public String name() {
    return "token-bucket";
  }

  @Override
  public void advance(LimitParameters t, CounterState s, long now) {
    if (s.used > t.maxDebtLevel()) {
      s.used = t.maxDebtLevel(); // the limit was lowered
    }
    long elapsed = now - s.time;
    if (elapsed < 0) {
      s.used = Math.min(s.used, t.capacityUnits());
      s.time = now;
    } else if (s.used == 0 || elapsed >= t.fillMicros()) {
      s.used = 0;
      s.time = now;
    } else {
      long turns = t.rateMicros() == 1 ? elapsed : elapsed / t.rateMicros();
      long drained = turns * t.rateUnits();
      long past = elapsed - turns * t.rateMicros();
      if (drained + partialDrain(t, past) >= s.used) {
        s.used = 0;
        s.time = now;
      } else {
        s.used -= drained;
        s.time = now - past;
      }
    }
  }

  @Override
  public long available(LimitParameters t, CounterState s, long now) {
    long free = t.capacityUnits() - s.used + partialDrain(t, now - s.time);
    return free <= 0 ? 0 : Math.min(t.toPermits(free), t.burst());
  }

  @Override
  public long debt(LimitParameters t, CounterState s, long now) {
    long free = t.capacityUnits() - s.used + partialDrain(t, now - s.time);
    return free >= 0 ? 0 : t.toPermits(-free);
  }

  @Override
  public void charge(LimitParameters t, CounterState s, long when, long cost) {
    if (cost < 0) {
      s.used = Math.max(0, s.used - toUnits(t, -cost));
    } else {
      s.used =
          Math.min(s.used + Math.min(cost, 2 * t.burst()) * t.unitsPerPermit(), t.maxDebtLevel());
    }
  }

  /**
   * Permits drain in the order they were charged in. Those that have drained since are free again
   * already; giving them back too would let a caller save up permits above the bucket's size.
   */
  @Override
  public void refund(LimitParameters t, CounterState s, long now, long when, long cost) {
    long elapsed = now - when;
    if (!hasExpired(t, elapsed)) {
      long undrained = toUnits(t, cost) - (elapsed > 0 ? t.drainedUnits(elapsed) : 0);
      s.used = Math.max(0, s.used - Math.max(0, undrained));
    }
  }

  @Override
  public long chargedAt(LimitParameters t, long time, long reset, long cost) {
    return time + Math.max(0, reset - t.drainTime(toUnits(t, cost)));
  }

  @Override
  public boolean hasExpired(LimitParameters t, long elapsed) {
    return elapsed >= t.fillMicros();
  }

  /** So many permits in units, or all that a state can say are used. */
  private static long toUnits(LimitParameters t, long cost) {
    return cost > t.toPermits(t.maxDebtLevel()) ? t.maxDebtLevel() : cost * t.unitsPerPermit();
  }

  @Override
  public long waitTime(LimitParameters t, CounterState s, long now, long cost) {
    long missing = s.used - (t.burst() - cost) * t.unitsPerPermit();
    return missing <= 0 ? 0 : Math.max(0, t.drainTime(missing) - (now - s.time));
  }

  @Override
  public long capacity(LimitParameters t) {
    return t.burst();
  }

  @Override
  public boolean hasBurst() {
    return true;
  }

  @Override
  public void check(LimitParameters t) {
    t.checkBucket();
  }

  /** What drains in a part of a turn. */
  private static long partialDrain(LimitParameters t, long micros) {
    return micros == 0 || t.rateUnits() == 1 ? 0 : micros * t.rateUnits() / t.rateMicros();
  }
}
