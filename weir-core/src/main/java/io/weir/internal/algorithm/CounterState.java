package io.weir.internal.algorithm;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The state of one counter: a few numbers, all zero if nothing is counted.
 *
 * <p>Mutable and used by one decision at a time. A store loads it, lets an {@link Algorithm} update
 * it and saves it, without interpreting the numbers.
 */
public final class CounterState {
  private static final long[] NONE = {};

  /**
   * The time of the state in microseconds: when it was last advanced, or the start of its window.
   */
  public long time;

  /** The permits in use now, in the unit of the algorithm. */
  public long used;

  /** The permits used in the previous window, if the algorithm keeps one. */
  public long previous;

  /** Single charges, oldest first, as pairs of time and cost, if the algorithm keeps them. */
  public long[] entries = NONE;

  /** The number of elements of {@link #entries} in use: twice the number of charges. */
  public int entriesLength;

  /*
   * Scratch fields of the current decision, not stored. Claims of one decision on the same key
   * share one state, so that they cannot both take its last permit.
   */

  /** The permits available now, under {@link #parameters}. */
  public long available;

  /** The parameters used for {@link #available}; requests may have limits of their own. */
  public @Nullable LimitParameters parameters;

  /** The total cost of the claims evaluated so far. */
  public long pendingCost;

  /** The total cost of the claims processed so far, as if they had been charged. */
  public long takenCost;

  /** Whether the state must be stored: it was charged, or it followed a clock that stepped back. */
  public boolean changed;

  /** The slot of the state in its store. */
  public int slot;

  /** The node whose call is being decided, if the state counts slots by node; otherwise 0. */
  public long holder;

  /** Whether that call arrived after a later call of the same node. */
  public boolean outdated;

  /** Resets it to the state of a counter that was never charged. */
  public void clear() {
    time = 0;
    used = 0;
    previous = 0;
    entriesLength = 0;
    holder = 0;
    outdated = false;
    clearScratch();
  }

  /** Clears the scratch fields of the last decision. */
  public void clearScratch() {
    pendingCost = 0;
    takenCost = 0;
  }

  /** Returns whether the state, once advanced, can be dropped without changing any decision. */
  public boolean isFresh() {
    return used == 0 && previous == 0 && entriesLength == 0;
  }

  /** Ensures that {@code more} further numbers fit into {@link #entries}. */
  public void ensureCapacity(int more) {
    if (entriesLength + more > entries.length) {
      entries = Arrays.copyOf(entries, Math.max(entriesLength + more, entries.length * 2));
    }
  }

  /** Copies the stored numbers of another state. */
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
