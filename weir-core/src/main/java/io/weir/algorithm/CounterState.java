package io.weir.algorithm;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What a key's history has come down to: a few numbers, all zero when the key is fresh.
 *
 * <p>Mutable and owned by one decision at a time. A store loads it, lets the verbs of an {@link
 * Algorithm} work on it and saves it, without knowing what the numbers mean.
 */
public final class CounterState {
  private static final long[] NONE = {};

  /** The moment the state speaks of: when it was last aged, or when its window began. */
  public long time;

  /** What is used now, in the algorithm's unit. */
  public long used;

  /** What was used in the window before, where an algorithm remembers one. */
  public long previous;

  /** Single charges, oldest first, as pairs of time and cost, where an algorithm keeps them. */
  public long[] entries = NONE;

  /** How many numbers of {@link #entries} are in use: twice the number of charges. */
  public int entriesLength;

  /*
   * Notes of the decision under way, not stored. Claims of one decision on the same key share one
   * state, and so cannot both be given its last permit.
   */

  /** The permits that fit at this moment, under {@link #parameters}. */
  public long available;

  /** What the room was found under: requests may be held to rates of their own. */
  public @Nullable LimitParameters parameters;

  /** What the claims looked at so far ask for together. */
  public long pendingCost;

  /** What the claims settled so far would have taken, had they been charged. */
  public long takenCost;

  /** Whether it must be stored: it was charged, or followed a clock that stepped back. */
  public boolean changed;

  /** Where the store found it. */
  public int slot;

  /** Makes it the state of a key never charged. */
  public void clear() {
    time = 0;
    used = 0;
    previous = 0;
    entriesLength = 0;
    clearScratch();
  }

  /** Forgets the decision it was last used in. */
  public void clearScratch() {
    pendingCost = 0;
    takenCost = 0;
  }

  /** Whether forgetting it would change nothing, once it has been aged. */
  public boolean isFresh() {
    return used == 0 && previous == 0 && entriesLength == 0;
  }

  /** Makes room for {@code more} further numbers in {@link #entries}. */
  public void ensureCapacity(int more) {
    if (entriesLength + more > entries.length) {
      entries = Arrays.copyOf(entries, Math.max(entriesLength + more, entries.length * 2));
    }
  }

  /** Takes over the numbers of another state. */
  public void copyFrom(CounterState other) {
    time = other.time;
    used = other.used;
    previous = other.previous;
    entriesLength = 0;
    ensureCapacity(other.entriesLength);
    System.arraycopy(other.entries, 0, entries, 0, other.entriesLength);
    entriesLength = other.entriesLength;
  }

  @Override
  public String toString() {
    return "time="
        + time
        + " used="
        + used
        + " before="
        + previous
        + " entries="
        + Arrays.toString(Arrays.copyOf(entries, entriesLength));
  }
}
