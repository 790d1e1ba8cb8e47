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
final class TopRefusedCallers {
  static final long WINDOW_MICROS = 5L * 60 * 1_000_000;

  private final ReentrantLock lock = new ReentrantLock();
  private final LongAdder skipped = new LongAdder();
  private long window = Long.MIN_VALUE;
  private SpaceSavingSketch current = new SpaceSavingSketch();
  private SpaceSavingSketch previous = new SpaceSavingSketch();

  /**
   * One who was refused.
   *
   * @param refused how often, at most
   * @param atLeast how often, at least
   */
  record RefusedCaller(Map<String, String> attributes, long refused, long atLeast) {}

  void record(long time, long key, List<String> per, Request request) {
    if (!lock.tryLock()) {
      skipped.increment();
      return;
    }
    try {
      advanceTo(time / WINDOW_MICROS);
      current.add(key, per, request);
    } finally {
      lock.unlock();
    }
  }

  /** Those refused most, the most refused first. */
  List<RefusedCaller> top(long time, int count) {
    Map<Long, RefusedCaller> all = new HashMap<>();
    lock.lock();
    try {
      advanceTo(time / WINDOW_MICROS);
      for (SpaceSavingSketch turn : List.of(previous, current)) {
        turn.forEach((key, caller) -> all.merge(key, caller, TopRefusedCallers::merge));
      }
    } finally {
      lock.unlock();
    }
    return all.values().stream()
        .sorted(Comparator.comparingLong(RefusedCaller::refused).reversed())
        .limit(count)
        .toList();
  }

  /** How many refusals were left out so far. */
  long skipped() {
    return skipped.sum();
  }

  private void advanceTo(long next) {
    if (next != window) {
      previous = next == window + 1 ? current : new SpaceSavingSketch();
      current = new SpaceSavingSketch();
      window = next;
    }
  }

  private static RefusedCaller merge(RefusedCaller a, RefusedCaller b) {
    return new RefusedCaller(a.attributes(), a.refused() + b.refused(), a.atLeast() + b.atLeast());
  }
}
