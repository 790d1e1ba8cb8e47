package io.weir.lab.world;

import io.weir.internal.store.PendingDecision;
import io.weir.internal.store.nodes.HeldSlots;

/** A call for a decision on in-flight limits, with what its node holds when it is sent. */
public final class SlotCall {
  private final PendingDecision decision;
  private final HeldSlots holder;
  private final long sequence;
  private final long[] held;

  SlotCall(PendingDecision decision, HeldSlots holder) {
    this.decision = decision;
    this.holder = holder;
    sequence = holder.nextSequence();
    held = new long[decision.claims().length];
    for (int i = 0; i < held.length; i++) {
      held[i] = holder.announce(decision.claims()[i].key());
    }
  }

  public PendingDecision decision() {
    return decision;
  }

  /** Returns the table of the node that sends it. */
  public HeldSlots holder() {
    return holder;
  }

  /** Returns the number of the call. */
  public long sequence() {
    return sequence;
  }

  /** Returns the slots held of the counter of a claim. */
  public long held(int claim) {
    return held[claim];
  }
}
