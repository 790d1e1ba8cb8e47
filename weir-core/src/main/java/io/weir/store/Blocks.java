package io.weir.store;

import io.weir.algorithm.State;
import java.util.Arrays;

/**
 * Where a segment keeps states that do not fit their slot: chains of four-word blocks in one array.
 *
 * <p>A chain holds the numbers of a state but its time: used, before, entries. The first word of a
 * block is the next block of its chain, or of the free ones. Not thread-safe.
 */
final class Blocks {
  private static final int SIZE = 4;
  private static final int END = -1;
  private static final long[] NONE = {};

  private final int most;
  private long[] words = NONE;
  private int free = END;
  private int freeCount;

  /** Blocks of so many words to begin with, and at most. */
  Blocks(int words, int most) {
    this.most = most;
    if (words > 0) {
      grow(words);
    }
  }

  /** How many words a chain of that many numbers takes. */
  static int wordsFor(int numbers) {
    return (numbers + SIZE - 2) / (SIZE - 1) * SIZE;
  }

  int words() {
    return words.length;
  }

  /** How many words it would have to grow by to hold so many more in new chains. */
  int missing(int more) {
    return Math.max(0, more - freeCount * SIZE);
  }

  /** How many words a chain takes. */
  int words(int first) {
    int sum = 0;
    for (int block = first; block != END; block = (int) words[block]) {
      sum += SIZE;
    }
    return sum;
  }

  /** Stores the numbers of a state in a new chain. */
  int save(State s) {
    int numbers = 2 + s.size;
    int first = END;
    int last = END;
    for (int i = 0; i < numbers; i += SIZE - 1) {
      int block = take(numbers - i);
      for (int k = 0; k < SIZE - 1 && i + k < numbers; k++) {
        words[block + 1 + k] = number(s, i + k);
      }
      words[block] = END;
      if (last == END) {
        first = block;
      } else {
        words[last] = block;
      }
      last = block;
    }
    return first;
  }

  /** Reads a chain of which the number of entries is not known: it ends with its last block. */
  void load(int first, State s) {
    int i = 0;
    for (int block = first; block != END; block = (int) words[block]) {
      for (int k = 1; k < SIZE; k++, i++) {
        set(s, i, words[block + k]);
      }
    }
    while (s.size > 0 && s.entries[s.size - 1] == 0) {
      s.size--; // what the last block had no number for
    }
  }

  void free(int first) {
    for (int block = first; block != END; ) {
      int next = (int) words[block];
      Arrays.fill(words, block, block + SIZE, 0);
      words[block] = free;
      free = block;
      freeCount++;
      block = next;
    }
  }

  private int take(int numbers) {
    if (free == END) {
      int roomy = Math.min(words.length / 4, most - words.length) / SIZE * SIZE;
      grow(Math.max(wordsFor(numbers), roomy));
    }
    int block = free;
    free = (int) words[block];
    freeCount--;
    return block;
  }

  private void grow(int more) {
    int from = words.length;
    words = Arrays.copyOf(words, from + more);
    for (int block = from; block < words.length; block += SIZE) {
      words[block] = free;
      free = block;
      freeCount++;
    }
  }

  private static long number(State s, int i) {
    return switch (i) {
      case 0 -> s.used;
      case 1 -> s.before;
      default -> s.entries[i - 2];
    };
  }

  private static void set(State s, int i, long number) {
    switch (i) {
      case 0 -> s.used = number;
      case 1 -> s.before = number;
      default -> {
        s.reserve(1);
        s.entries[s.size++] = number;
      }
    }
  }
}
