package io.weir.admin;

import io.weir.Request;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The callers a rule refused most in the last five to ten minutes.
 *
 * <p>Refusals are counted in windows of five minutes; the current and the previous window are kept.
 * A thread that cannot get the lock at once skips its refusal, so decisions never block.
 */
final class TopRefusedCallers {
  static final long WINDOW_MICROS = 5L * 60 * 1_000_000;

  private final ReentrantLock lock = new ReentrantLock();
  private final LongAdder skipped = new LongAdder();
  private long window = Long.MIN_VALUE;
  private SpaceSavingSketch current = new SpaceSavingSketch();
  private SpaceSavingSketch previous = new SpaceSavingSketch();

  /**
   * A refused caller with bounds for its number of refusals.
   *
   * @param attributes the attributes the caller is counted by
   * @param refused the upper bound
   * @param atLeast the lower bound
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

  /** Returns the callers refused most, in descending order. */
  List<RefusedCaller> top(long time, int count) {
    Map<Long, RefusedCaller> callers = new HashMap<>();
    lock.lock();
    try {
      advanceTo(time / WINDOW_MICROS);
      for (SpaceSavingSketch sketch : List.of(previous, current)) {
        sketch.forEach((key, caller) -> callers.merge(key, caller, TopRefusedCallers::merge));
      }
    } finally {
      lock.unlock();
    }
    return callers.values().stream()
        .sorted(Comparator.comparingLong(RefusedCaller::refused).reversed())
        .limit(count)
        .toList();
  }

  /** Returns the number of refusals that were not counted. */
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
