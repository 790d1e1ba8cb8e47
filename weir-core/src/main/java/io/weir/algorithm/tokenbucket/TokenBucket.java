package io.weir.algorithm.tokenbucket;

import io.weir.algorithm.Algorithm;
import io.weir.algorithm.State;
import io.weir.algorithm.Terms;

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
  public void age(Terms t, State s, long now) {
    if (s.used > t.brim()) {
      s.used = t.brim(); // the limit was lowered
    }
    long elapsed = now - s.time;
    if (elapsed < 0) {
      s.used = Math.min(s.used, t.full());
      s.time = now;
    } else if (s.used == 0 || elapsed >= t.fill()) {
      s.used = 0;
      s.time = now;
    } else {
      long turns = t.q() == 1 ? elapsed : elapsed / t.q();
      long drained = turns * t.p();
      long past = elapsed - turns * t.q();
      if (drained + trickle(t, past) >= s.used) {
        s.used = 0;
        s.time = now;
      } else {
        s.used -= drained;
        s.time = now - past;
      }
    }
  }

  @Override
  public long room(Terms t, State s, long now) {
    long free = t.full() - s.used + trickle(t, now - s.time);
    return free <= 0 ? 0 : Math.min(t.permitsIn(free), t.burst());
  }

  @Override
  public long debt(Terms t, State s, long now) {
    long free = t.full() - s.used + trickle(t, now - s.time);
    return free >= 0 ? 0 : t.permitsIn(-free);
  }

  @Override
  public void charge(Terms t, State s, long when, long cost) {
    if (cost < 0) {
      s.used = Math.max(0, s.used - units(t, -cost));
    } else {
      s.used = Math.min(s.used + Math.min(cost, 2 * t.burst()) * t.unit(), t.brim());
    }
  }

  /**
   * Permits drain in the order they were charged in. Those that have drained since are free again
   * already; giving them back too would let a caller save up permits above the bucket's size.
   */
  @Override
  public void refund(Terms t, State s, long now, long when, long cost) {
    long elapsed = now - when;
    if (!hasForgotten(t, elapsed)) {
      long undrained = units(t, cost) - (elapsed > 0 ? t.drained(elapsed) : 0);
      s.used = Math.max(0, s.used - Math.max(0, undrained));
    }
  }

  @Override
  public long chargedAt(Terms t, long time, long reset, long cost) {
    return time + Math.max(0, reset - t.drain(units(t, cost)));
  }

  @Override
  public boolean hasForgotten(Terms t, long elapsed) {
    return elapsed >= t.fill();
  }

  /** So many permits in units, or all that a state can say are used. */
  private static long units(Terms t, long cost) {
    return cost > t.permitsIn(t.brim()) ? t.brim() : cost * t.unit();
  }

  @Override
  public long waitFor(Terms t, State s, long now, long cost) {
    long missing = s.used - (t.burst() - cost) * t.unit();
    return missing <= 0 ? 0 : Math.max(0, t.drain(missing) - (now - s.time));
  }

  @Override
  public long most(Terms t) {
    return t.burst();
  }

  @Override
  public boolean bursts() {
    return true;
  }

  @Override
  public void check(Terms t) {
    t.checkBucket();
  }

  /** What drains in a part of a turn. */
  private static long trickle(Terms t, long micros) {
    return micros == 0 || t.p() == 1 ? 0 : micros * t.p() / t.q();
  }
}
