package io.weir.lab.world;

import io.weir.internal.store.PendingDecision;
import io.weir.internal.store.nodes.HeldSlots;

/**
 * A call for a decision on in-flight limits, with what its node holds when it is sent.
 *
 * @param holder the node that sends it
 * @param sequence the number of the call
 * @param held the slots held of the counter of each claim
 */
public record SlotCall(PendingDecision decision, HeldSlots holder, long sequence, long[] held) {

  static SlotCall create(PendingDecision decision, HeldSlots holder) {
    long sequence = holder.nextSequence();
    long[] held = new long[decision.claims().length];
    for (int i = 0; i < held.length; i++) {
      held[i] = holder.announce(decision.claims()[i].key());
    }
    return new SlotCall(decision, holder, sequence, held);
  }
}
