package io.weir.store;

import java.time.Duration;

/**
 * How a store fares.
 *
 * @param available whether it is asked and answers
 * @param state in words
 * @param drift how far its clock is ahead of this node's
 * @param degraded how many decisions postures have answered so far
 * @param corrupt how many states could not be read and were taken as fresh
 * @param nodes how many nodes share it, this one included
 * @param leased permits this node has borrowed of leased rules and not spent
 * @param untold permits this node has admitted under synced rules and not told it yet
 * @param syncLag by how much reporting of synced counters is behind its interval
 */
public record Health(
    boolean available,
    String state,
    Duration drift,
    long degraded,
    long corrupt,
    int nodes,
    long leased,
    long untold,
    Duration syncLag) {
  /** That of a store which cannot be away, and is this node's own. */
  public static final Health ALWAYS =
      new Health(true, "answers", Duration.ZERO, 0, 0, 1, 0, 0, Duration.ZERO);
}
