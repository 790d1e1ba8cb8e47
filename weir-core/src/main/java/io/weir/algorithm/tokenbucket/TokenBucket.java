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
    } else if (elapsed >= t.drain(s.used)) {
      s.used = 0;
      s.time = now;
    } else {
      long turns = elapsed / t.q();
      s.used -= turns * t.p();
      s.time += turns * t.q();
    }
  }

  @Override
  public long room(Terms t, State s, long now) {
    long free = t.full() - s.used + trickled(t, s, now);
    return free <= 0 ? 0 : Math.min(free / t.unit(), t.burst());
  }

  @Override
  public void charge(Terms t, State s, long when, long cost) {
    long most = 2 * t.burst();
    long amount = Math.max(-most, Math.min(cost, most)) * t.unit();
    s.used = Math.max(0, Math.min(s.used + amount, t.brim()));
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

  /** What has drained since {@code s.time}, which is less than a turn ago. */
  private static long trickled(Terms t, State s, long now) {
    return (now - s.time) * t.p() / t.q();
  }
}
