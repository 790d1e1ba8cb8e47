package io.weir.bench.redis;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Who asks next, for any number of threads; nobody any more if null. */
interface CallerSequence {

  @Nullable String next();

  /** A name as an application would give it to Redis. */
  static String callerName(int i) {
    return "rl:{user:" + Integer.toString(10_000_000 + i).substring(1) + "}:api-default";
  }

  /**
   * Any from one number up to another, again and again. Its name is made when it asks, as if it had
   * just been read from a request: to look it up among a million would be a third of the client's
   * work.
   */
  static CallerSequence randomCallers(int from, int to) {
    if (to - from == 1) {
      String only = callerName(from);
      return () -> only;
    }
    return () -> callerName(ThreadLocalRandom.current().nextInt(from, to));
  }

  /** Each from one number up to another once, in order. */
  static CallerSequence eachCallerOnce(int from, int to) {
    AtomicInteger next = new AtomicInteger(from);
    return () -> {
      int i = next.getAndIncrement();
      return i < to ? callerName(i) : null;
    };
  }
}
