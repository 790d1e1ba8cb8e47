package io.weir.bench;

import java.util.Arrays;
import java.util.SplittableRandom;

/** Keys of callers and random sequences of them. */
final class BenchmarkKeys {
  /** The length of every sequence, a power of two. */
  static final int SEQUENCE_LENGTH = 1 << 22;

  private BenchmarkKeys() {}

  /** Returns a key such as "user:00000001", a new String for each call. */
  static String userKey(int i) {
    return "user:" + Integer.toString(100_000_000 + i).substring(1);
  }

  static String[] userKeys(int count) {
    String[] keys = new String[count];
    Arrays.setAll(keys, BenchmarkKeys::userKey);
    return keys;
  }

  static int[] uniformSequence(int keys) {
    SplittableRandom random = new SplittableRandom(1);
    int[] sequence = new int[SEQUENCE_LENGTH];
    Arrays.setAll(sequence, i -> random.nextInt(keys));
    return sequence;
  }

  /** Zipf with exponent 1 over shuffled ranks, so that popular keys are not adjacent in memory. */
  static int[] zipfSequence(int keys) {
    SplittableRandom random = new SplittableRandom(1);
    int[] byRank = new int[keys];
    for (int i = 0; i < keys; i++) {
      int other = random.nextInt(i + 1);
      byRank[i] = byRank[other];
      byRank[other] = i;
    }
    double[] cumulative = new double[keys];
    double sum = 0;
    for (int i = 0; i < keys; i++) {
      sum += 1.0 / (i + 1);
      cumulative[i] = sum;
    }
    int[] sequence = new int[SEQUENCE_LENGTH];
    for (int i = 0; i < SEQUENCE_LENGTH; i++) {
      int at = Arrays.binarySearch(cumulative, random.nextDouble() * sum);
      sequence[i] = byRank[Math.min(keys - 1, at < 0 ? -at - 1 : at)];
    }
    return sequence;
  }
}
