package io.weir.admin;

import io.weir.Request;
import io.weir.admin.TopRefusedCallers.RefusedCaller;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * Finds the most frequent callers in constant memory with the Space-Saving algorithm.
 *
 * <p>At most {@link #CAPACITY} callers are counted. A new caller replaces the one with the lowest
 * count and inherits that count. So a count is never too low, and too high by at most the lowest
 * count, which is at most the total divided by {@link #CAPACITY}. Every caller with a larger part
 * than that is among those counted.
 *
 * <p>Not thread-safe. Callers are identified by the keys of their counters.
 */
final class SpaceSavingSketch {
  static final int CAPACITY = 32;
  private static final int INITIAL_CAPACITY = 4;

  private long[] keys = new long[INITIAL_CAPACITY];
  private long[] counts = new long[INITIAL_CAPACITY];
  private long[] errors = new long[INITIAL_CAPACITY];
  private final List<Map<String, String>> attributes = new ArrayList<>(INITIAL_CAPACITY);
  private int size;

  void add(long key, List<String> per, Request request) {
    int lowest = 0;
    for (int i = 0; i < size; i++) {
      if (keys[i] == key) {
        counts[i]++;
        return;
      }
      lowest = counts[i] < counts[lowest] ? i : lowest;
    }
    if (size < CAPACITY) {
      grow();
      lowest = size++;
      attributes.add(Map.of());
    }
    keys[lowest] = key;
    errors[lowest] = counts[lowest];
    counts[lowest]++;
    attributes.set(lowest, CallerLabels.of(per, request));
  }

  void forEach(BiConsumer<Long, RefusedCaller> consumer) {
    for (int i = 0; i < size; i++) {
      consumer.accept(
          keys[i], new RefusedCaller(attributes.get(i), counts[i], counts[i] - errors[i]));
    }
  }

  private void grow() {
    if (size == keys.length) {
      keys = Arrays.copyOf(keys, 2 * size);
      counts = Arrays.copyOf(counts, 2 * size);
      errors = Arrays.copyOf(errors, 2 * size);
    }
  }
}
