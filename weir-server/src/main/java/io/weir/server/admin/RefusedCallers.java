package io.weir.server.admin;

import io.weir.Request;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Whom a rule refused most in the last five to ten minutes.
 *
 * <p>Counted in turns of five minutes, of which the last and the present one are kept. A thread
 * that finds another one counting goes on and leaves its refusal out: deciding never waits.
 */
final class RefusedCallers {
  static final long TURN = 5L * 60 * 1_000_000;

  private final ReentrantLock lock = new ReentrantLock();
  private final LongAdder leftOut = new LongAdder();
  private long turn = Long.MIN_VALUE;
  private TopCallers now = new TopCallers();
  private TopCallers before = new TopCallers();

  /**
   * One who was refused.
   *
   * @param refused how often, at most
   * @param surely how often, at least
   */
  record Caller(Map<String, String> names, long refused, long surely) {}

  void refused(long time, long key, List<String> per, Request request) {
    if (!lock.tryLock()) {
      leftOut.increment();
      return;
    }
    try {
      enter(time / TURN);
      now.add(key, per, request);
    } finally {
      lock.unlock();
    }
  }

  /** Those refused most, the most refused first. */
  List<Caller> most(long time, int count) {
    Map<Long, Caller> all = new HashMap<>();
    lock.lock();
    try {
      enter(time / TURN);
      for (TopCallers turn : List.of(before, now)) {
        turn.each((key, caller) -> all.merge(key, caller, RefusedCallers::both));
      }
    } finally {
      lock.unlock();
    }
    return all.values().stream()
        .sorted(Comparator.comparingLong(Caller::refused).reversed())
        .limit(count)
        .toList();
  }

  /** How many refusals were left out so far. */
  long leftOut() {
    return leftOut.sum();
  }

  private void enter(long next) {
    if (next != turn) {
      before = next == turn + 1 ? now : new TopCallers();
      now = new TopCallers();
      turn = next;
    }
  }

  private static Caller both(Caller a, Caller b) {
    return new Caller(a.names(), a.refused() + b.refused(), a.surely() + b.surely());
  }
}
