package io.weir.internal.store;

import io.weir.internal.algorithm.CounterState;
import java.util.Arrays;

/**
 * Storage for the states of a segment that do not fit into their slot: chains of four-word blocks
 * in one array.
 *
 * <p>A chain holds all numbers of a state except its time. The first word of a block is the index
 * of the next block in its chain, or in the free list. Not thread-safe.
 */
final class OverflowBlocks {
  private static final int BLOCK_WORDS = 4;
  private static final int END = -1;
  private static final long[] EMPTY = {};

  private final int maxWords;
  private long[] words = EMPTY;
  private int firstFree = END;
  private int freeCount;

  /** Creates blocks with an initial and a maximum number of words. */
  OverflowBlocks(int words, int maxWords) {
    this.maxWords = maxWords;
    if (words > 0) {
      grow(words);
    }
  }

  /** The number of words in a chain of that many numbers. */
  static int wordsFor(int numbers) {
    return (numbers + BLOCK_WORDS - 2) / (BLOCK_WORDS - 1) * BLOCK_WORDS;
  }

  int words() {
    return words.length;
  }

  /** By how many words it must grow to hold that many more in new chains. */
  int growthFor(int more) {
    return Math.max(0, more - freeCount * BLOCK_WORDS);
  }

  /** The number of words in a chain. */
  int words(int first) {
    int sum = 0;
    for (int block = first; block != END; block = (int) words[block]) {
      sum += BLOCK_WORDS;
    }
    return sum;
  }

  /** Stores the numbers of a state in a new chain and returns its first block. */
  int save(CounterState s) {
    int numbers = 2 + s.entriesLength;
    int first = END;
    int last = END;
    for (int i = 0; i < numbers; i += BLOCK_WORDS - 1) {
      int block = allocate(numbers - i);
      for (int k = 0; k < BLOCK_WORDS - 1 && i + k < numbers; k++) {
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

  /** Reads a chain. The number of entries is not stored: the chain ends with its last block. */
  void load(int first, CounterState s) {
    int i = 0;
    for (int block = first; block != END; block = (int) words[block]) {
      for (int k = 1; k < BLOCK_WORDS; k++, i++) {
        set(s, i, words[block + k]);
      }
    }
    while (s.entriesLength > 0 && s.entries[s.entriesLength - 1] == 0) {
      s.entriesLength--; // padding of the last block
    }
  }

  /** Returns the blocks of a chain to the free list. */
  void free(int first) {
    for (int block = first; block != END; ) {
      int next = (int) words[block];
      Arrays.fill(words, block, block + BLOCK_WORDS, 0);
      words[block] = firstFree;
      firstFree = block;
      freeCount++;
      block = next;
    }
  }

  private int allocate(int numbers) {
    if (firstFree == END) {
      int preferred =
          Math.min(words.length / 4, maxWords - words.length) / BLOCK_WORDS * BLOCK_WORDS;
      grow(Math.max(wordsFor(numbers), preferred));
    }
    int block = firstFree;
    firstFree = (int) words[block];
    freeCount--;
    return block;
  }

  private void grow(int more) {
    int from = words.length;
    words = Arrays.copyOf(words, from + more);
    for (int block = from; block < words.length; block += BLOCK_WORDS) {
      words[block] = firstFree;
      firstFree = block;
      freeCount++;
    }
  }

  private static long number(CounterState s, int i) {
    return switch (i) {
      case 0 -> s.used;
      case 1 -> s.previous;
      default -> s.entries[i - 2];
    };
  }

  private static void set(CounterState s, int i, long number) {
    switch (i) {
      case 0 -> s.used = number;
      case 1 -> s.previous = number;
      default -> {
        s.ensureCapacity(1);
        s.entries[s.entriesLength++] = number;
      }
    }
  }
}
