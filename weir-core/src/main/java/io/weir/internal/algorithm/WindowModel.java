package io.weir.internal.algorithm;

/**
 * How the time of a charge decides until when it counts.
 *
 * <p>Leases, synced views, region shares and the checks of the simulator spend, date or merge
 * charges at another time than the store. What they may do depends on this model alone, so they
 * support any algorithm without knowing it.
 */
public enum WindowModel {
  /**
   * Charges drain at a steady rate, in the order in which they were made: a bucket. A charge that
   * has drained a little is worth a little less, so its time does not matter much.
   */
  CONTINUOUS,

  /**
   * A charge counts by the window of the clock that contains its time, {@link
   * LimitParameters#windowStart}. All times in one window are equivalent, and all nodes agree on
   * the windows.
   */
  ALIGNED,

  /**
   * A charge counts for one period from its own time at most. An earlier time would let it expire
   * too soon, and there are no windows that nodes agree on.
   */
  TRAILING
}
