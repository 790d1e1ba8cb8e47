package io.weir.internal.store.nodes;

import io.weir.internal.rule.Claim;
import java.util.Arrays;
import java.util.function.Supplier;

/** Striped locks for counters. Several locks are always acquired in ascending order. */
final class StripedLocks {
  private static final int STRIPE_COUNT = 256;

  private final Object[] locks = new Object[STRIPE_COUNT];

  StripedLocks() {
    Arrays.setAll(locks, i -> new Object());
  }

  Object lockFor(long key) {
    return locks[stripe(key)];
  }

  private static int stripe(long key) {
    return (int) (key & (STRIPE_COUNT - 1));
  }

  /** Runs the work while holding the locks of the claims' counters. */
  <T> T withLocks(Claim[] claims, Supplier<T> work) {
    if (claims.length == 1) {
      synchronized (lockFor(claims[0].key())) {
        return work.get();
      }
    }
    int[] numbers = new int[claims.length];
    for (int i = 0; i < claims.length; i++) {
      numbers[i] = stripe(claims[i].key());
    }
    Arrays.sort(numbers);
    return withLocks(numbers, 0, work);
  }

  private <T> T withLocks(int[] numbers, int from, Supplier<T> work) {
    if (from == numbers.length) {
      return work.get();
    }
    synchronized (locks[numbers[from]]) {
      return withLocks(numbers, from + 1, work);
    }
  }
}
