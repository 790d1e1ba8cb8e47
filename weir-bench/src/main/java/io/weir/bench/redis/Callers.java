package io.weir.bench.redis;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Who asks next, for any number of threads; nobody any more if null. */
interface Callers {

  @Nullable String next();

  /** A name as an application would give it to Redis. */
  static String name(int i) {
    return "rl:{user:" + Integer.toString(10_000_000 + i).substring(1) + "}:api-default";
  }

  /**
   * Any from one number up to another, again and again. Its name is made when it asks, as if it had
   * just been read from a request: to look it up among a million would be a third of the client's
   * work.
   */
  static Callers any(int from, int to) {
    if (to - from == 1) {
      String only = name(from);
      return () -> only;
    }
    return () -> name(ThreadLocalRandom.current().nextInt(from, to));
  }

  /** Each from one number up to another once, in order. */
  static Callers each(int from, int to) {
    AtomicInteger next = new AtomicInteger(from);
    return () -> {
      int i = next.getAndIncrement();
      return i < to ? name(i) : null;
    };
  }
}
