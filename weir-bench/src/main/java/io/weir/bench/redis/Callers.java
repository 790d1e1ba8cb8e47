package io.weir.bench.redis;

import java.util.Arrays;
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

  static String[] names(int count) {
    String[] names = new String[count];
    Arrays.setAll(names, Callers::name);
    return names;
  }

  /** One of these at random, again and again. */
  static Callers anyOf(String[] names) {
    return names.length == 1
        ? () -> names[0]
        : () -> names[ThreadLocalRandom.current().nextInt(names.length)];
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
