package io.weir.store;

import java.time.Duration;

/**
 * How a store fares.
 *
 * @param available whether it is asked and answers
 * @param state in words
 * @param clockDrift how far its clock is ahead of this node's
 * @param degradedDecisions how many decisions postures have answered so far
 * @param corruptStates how many states could not be read and were taken as fresh
 * @param nodes how many nodes share it, this one included
 * @param leasedPermits permits this node has borrowed of leased rules and not spent
 * @param unsyncedPermits permits this node has admitted under synced rules and not told it yet
 * @param syncLag by how much reporting of synced counters is behind its interval
 */
public record StoreHealth(
    boolean available,
    String state,
    Duration clockDrift,
    long degradedDecisions,
    long corruptStates,
    int nodes,
    long leasedPermits,
    long unsyncedPermits,
    Duration syncLag) {
  /** That of a store which cannot be away, and is this node's own. */
  public static final StoreHealth ALWAYS_AVAILABLE =
      new StoreHealth(true, "answers", Duration.ZERO, 0, 0, 1, 0, 0, Duration.ZERO);
}
