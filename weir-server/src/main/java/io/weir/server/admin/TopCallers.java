package io.weir.server.admin;

import io.weir.Request;
import io.weir.server.admin.RefusedCallers.Caller;
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
 * {@value #COUNTED}th part of all. Who has more than that part is surely among them.
 *
 * <p>For one thread at a time. Callers are told apart by the keys of their counters.
 */
final class TopCallers {
  static final int COUNTED = 32;
  private static final int FEW = 4;

  private long[] keys = new long[FEW];
  private long[] counts = new long[FEW];
  private long[] inherited = new long[FEW];
  private final List<Map<String, String>> names = new ArrayList<>(FEW);
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
    if (size < COUNTED) {
      grow();
      least = size++;
      names.add(Map.of());
    }
    keys[least] = key;
    inherited[least] = counts[least];
    counts[least]++;
    names.set(least, CallerNames.of(per, request));
  }

  void each(BiConsumer<Long, Caller> each) {
    for (int i = 0; i < size; i++) {
      each.accept(keys[i], new Caller(names.get(i), counts[i], counts[i] - inherited[i]));
    }
  }

  private void grow() {
    if (size == keys.length) {
      keys = Arrays.copyOf(keys, 2 * size);
      counts = Arrays.copyOf(counts, 2 * size);
      inherited = Arrays.copyOf(inherited, 2 * size);
    }
  }
}
