package io.weir.algorithm.slidinglog;

import io.weir.algorithm.Algorithm;
import io.weir.algorithm.CounterState;
import io.weir.algorithm.LimitParameters;

/**
 * Every charge remembered for one period: no trailing window ever holds more than the limit.
 *
 * <p>State: the charges as {@code entries}, oldest first, their sum as {@code used}, as of {@code
 * time}. Memory grows with the limit, which is therefore bounded.
 */
public final class SlidingLog implements Algorithm {
  /** Bounds what a decision costs Redis, which copies the log: see docs/decisions.md. */
  private static final long MAX_PERMITS = 2_000;

  @Override
  public String name() {
    return "sliding-log";
  }

  @Override
  public void advance(LimitParameters t, CounterState s, long now) {
    if (s.time > now) {
      for (int i = s.entriesLength - 2; i >= 0 && s.entries[i] > now; i -= 2) {
        s.entries[i] = now;
      }
    }
    s.time = now;
    int gone = 0;
    while (gone < s.entriesLength && s.entries[gone] <= now - t.periodMicros()) {
      s.used -= s.entries[gone + 1];
      gone += 2;
    }
    remove(s, 0, gone);
    if (s.entriesLength == 0) {
      s.used = 0; // whatever else a corrupt state may say
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
    if (when <= s.time - t.periodMicros()) {
      return; // forgotten already
    }
    int at = s.entriesLength;
    while (at > 0 && s.entries[at - 2] > when) {
      at -= 2;
    }
    long most = 2 * t.permits();
    long taken = Math.min(cost, most);
    if (taken > 0) {
      insert(s, at, when, taken);
      removeOldest(s, s.used - most);
    } else {
      removeNewest(s, at, -cost);
    }
  }

  @Override
  public long waitTime(LimitParameters t, CounterState s, long now, long cost) {
    long over = s.used + cost - t.permits();
    int i = 0;
    while (over > 0) {
      over -= s.entries[i + 1];
      i += 2;
    }
    return i == 0 ? 0 : s.entries[i - 2] + t.periodMicros() - now;
  }

  @Override
  public long capacity(LimitParameters t) {
    return t.permits();
  }

  @Override
  public void check(LimitParameters t) {
    if (t.permits() > MAX_PERMITS) {
      throw new IllegalArgumentException(
          "must allow at most "
              + MAX_PERMITS
              + " permits with algorithm: sliding-log (was "
              + t.permits()
              + "), since it remembers every one; for more use algorithm: sliding-counter");
    }
  }

  /** Enters a charge at position {@code at}, joining one of the same moment. */
  private static void insert(CounterState s, int at, long when, long cost) {
    s.used += cost;
    if (at > 0 && s.entries[at - 2] == when) {
      s.entries[at - 1] += cost;
      return;
    }
    s.ensureCapacity(2);
    System.arraycopy(s.entries, at, s.entries, at + 2, s.entriesLength - at);
    s.entries[at] = when;
    s.entries[at + 1] = cost;
    s.entriesLength += 2;
  }

  /** Takes {@code cost} out of the charges before position {@code at}, the youngest first. */
  private static void removeNewest(CounterState s, int at, long cost) {
    long left = cost;
    while (at > 0 && left > 0) {
      long part = Math.min(left, s.entries[at - 1]);
      s.entries[at - 1] -= part;
      s.used -= part;
      left -= part;
      if (s.entries[at - 1] == 0) {
        remove(s, at - 2, at);
      }
      at -= 2;
    }
  }

  /** Takes what is more than can be remembered out of the oldest charges: they leave first. */
  private static void removeOldest(CounterState s, long more) {
    long left = more;
    int gone = 0;
    while (left > 0 && gone < s.entriesLength) {
      long part = Math.min(left, s.entries[gone + 1]);
      s.entries[gone + 1] -= part;
      s.used -= part;
      left -= part;
      gone += s.entries[gone + 1] == 0 ? 2 : 0;
    }
    remove(s, 0, gone);
  }

  private static void remove(CounterState s, int from, int to) {
    System.arraycopy(s.entries, to, s.entries, from, s.entriesLength - to);
    s.entriesLength -= to - from;
  }
}
