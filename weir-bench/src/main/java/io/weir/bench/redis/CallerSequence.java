package io.weir.bench.redis;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A thread-safe sequence of caller names; null at the end. */
interface CallerSequence {

  @Nullable String next();

  /** Returns a Redis key as an application would use it. */
  static String callerName(int i) {
    return "rl:{user:" + Integer.toString(10_000_000 + i).substring(1) + "}:api-default";
  }

  /**
   * Returns random callers in a range, without end. The name is created for each request, as if it
   * had been read from the request: a lookup among a million names would take a third of the
   * client's CPU.
   */
  static CallerSequence randomCallers(int from, int to) {
    if (to - from == 1) {
      String only = callerName(from);
      return () -> only;
    }
    return () -> callerName(ThreadLocalRandom.current().nextInt(from, to));
  }

  /** Returns each caller in a range once, in order. */
  static CallerSequence eachCallerOnce(int from, int to) {
    AtomicInteger next = new AtomicInteger(from);
    return () -> {
      int i = next.getAndIncrement();
      return i < to ? callerName(i) : null;
    };
  }
}
