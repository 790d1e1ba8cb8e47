package io.weir.server.admin;

import io.weir.Request;
import io.weir.server.admin.TopRefusedCallers.RefusedCaller;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * The most frequent of any number of callers, in little memory: Space-Saving.
 *
 * <p>So many are counted. One that is not yet counted takes the place of the least, and its number:
 * so nobody is counted too low, nor too high by more than the least count, which is at most the
 * {@value #CAPACITY}th part of all. Who has more than that part is surely among them.
 *
 * <p>For one thread at a time. Callers are told apart by the keys of their counters.
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
    int least = 0;
    for (int i = 0; i < size; i++) {
      if (keys[i] == key) {
        counts[i]++;
        return;
      }
      least = counts[i] < counts[least] ? i : least;
    }
    if (size < CAPACITY) {
      grow();
      least = size++;
      attributes.add(Map.of());
    }
    keys[least] = key;
    errors[least] = counts[least];
    counts[least]++;
    attributes.set(least, CallerLabels.of(per, request));
  }

  void forEach(BiConsumer<Long, RefusedCaller> each) {
    for (int i = 0; i < size; i++) {
      each.accept(keys[i], new RefusedCaller(attributes.get(i), counts[i], counts[i] - errors[i]));
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
