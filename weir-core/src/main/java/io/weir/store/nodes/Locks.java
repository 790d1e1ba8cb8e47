package io.weir.store.nodes;

import io.weir.rule.Claim;
import java.util.Arrays;
import java.util.function.Supplier;

/** A lock for each counter, shared with others; several are taken in one order by everybody. */
final class Locks {
  private static final int COUNT = 256;

  private final Object[] locks = new Object[COUNT];

  Locks() {
    Arrays.setAll(locks, i -> new Object());
  }

  Object of(long key) {
    return locks[number(key)];
  }

  private static int number(long key) {
    return (int) (key & (COUNT - 1));
  }

  /** Does something that no other thread may do to these counters meanwhile. */
  <T> T during(Claim[] claims, Supplier<T> work) {
    if (claims.length == 1) {
      synchronized (of(claims[0].key())) {
        return work.get();
      }
    }
    int[] numbers = new int[claims.length];
    for (int i = 0; i < claims.length; i++) {
      numbers[i] = number(claims[i].key());
    }
    Arrays.sort(numbers);
    return during(numbers, 0, work);
  }

  private <T> T during(int[] numbers, int from, Supplier<T> work) {
    if (from == numbers.length) {
      return work.get();
    }
    synchronized (locks[numbers[from]]) {
      return during(numbers, from + 1, work);
    }
  }
}
