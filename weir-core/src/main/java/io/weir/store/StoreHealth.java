package io.weir.store;

import java.time.Duration;

/**
 * The health of a store, as one node sees it.
 *
 * @param available whether it is in use and answers
 * @param state a description for operators
 * @param clockDrift how far the store's clock is ahead of this node's
 * @param degradedDecisions how many decisions were answered by fallbacks so far
 * @param corruptStates how many states could not be read and were treated as fresh
 * @param nodes how many nodes share it, this one included
 * @param leasedPermits permits that this node has leased and not spent
 * @param unsyncedPermits permits that this node has admitted under synced rules and not yet
 *     reported
 * @param syncLag by how much the sync of synced counters is later than its interval
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
  /** The health of a store in this node's memory, which cannot fail. */
  public static final StoreHealth ALWAYS_AVAILABLE =
      new StoreHealth(true, "answers", Duration.ZERO, 0, 0, 1, 0, 0, Duration.ZERO);
}
