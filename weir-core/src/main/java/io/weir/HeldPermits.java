package io.weir;

import io.weir.internal.decision.EvaluatedDecision;
import io.weir.internal.rule.Claim;
import io.weir.internal.store.ClaimStore;
import io.weir.store.Clock;
import io.weir.store.StoreOperation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The slots that requests of this node hold, until they are released or held for the longest time
 * that their rule allows. Expired slots are released before the next request is decided, or by a
 * timer. Thread-safe.
 */
final class HeldPermits {
  private static final long NONE = Long.MAX_VALUE;

  private final ClaimStore store;
  private final Clock clock;
  private final SingleTimer expiryTimer;

  /** The slots in the order in which they expire, one list per duration. */
  private final Map<Duration, SlotList> lists = new HashMap<>();

  private volatile long nextExpiryMicros = NONE;

  HeldPermits(ClaimStore store, Clock clock, CancellableScheduler scheduler) {
    this.store = store;
    this.clock = clock;
    expiryTimer = new SingleTimer(clock, scheduler, this::releaseExpired);
  }

  /** The slots that expire after the same duration, the oldest first. */
  private static final class SlotList {
    @Nullable HeldSlot first;
    @Nullable HeldSlot last;
  }

  /** A slot, linked to its neighbors while it is held; guarded by the registry. */
  private static final class HeldSlot {
    final Claim claim;
    final long expiryMicros;
    final SlotList list;
    @Nullable HeldSlot previous;
    @Nullable HeldSlot next;
    boolean held = true;

    HeldSlot(Claim claim, long expiry, SlotList list) {
      this.claim = claim;
      this.expiryMicros = expiry;
      this.list = list;
      previous = list.last;
      if (previous == null) {
        list.first = this;
      } else {
        previous.next = this;
      }
      list.last = this;
    }

    /** Removes it from its list; returns whether it was held. */
    boolean remove() {
      if (!held) {
        return false;
      }
      held = false;
      if (previous == null) {
        list.first = next;
      } else {
        previous.next = next;
      }
      if (next == null) {
        list.last = previous;
      } else {
        next.previous = previous;
      }
      previous = null;
      next = null;
      return true;
    }
  }

  /** Returns the permit of a decision, which holds the slots that the decision has taken. */
  Limiter.Permit hold(Decision made) {
    EvaluatedDecision decision = EvaluatedDecision.of(made);
    if (!decision.takesSlots()) {
      return new DefaultPermit(decision, List.of());
    }
    List<HeldSlot> slots = new ArrayList<>(1);
    synchronized (this) {
      long now = clock.micros();
      for (int i = 0; i < decision.claimCount(); i++) {
        Claim claim = decision.claim(i);
        if (claim.limit().isInFlight() && decision.outcome(i).charged()) {
          Duration duration = claim.limit().rule().heldAtMost();
          SlotList list = lists.computeIfAbsent(duration, d -> new SlotList());
          slots.add(new HeldSlot(claim, now + duration.toNanos() / 1000, list));
        }
      }
      if (!slots.isEmpty()) {
        updateNextExpiry();
      }
    }
    return new DefaultPermit(decision, slots);
  }

  /** Gives back at once what a decision has taken, for a request that is not held. */
  void release(Decision made) {
    EvaluatedDecision decision = EvaluatedDecision.of(made);
    if (!decision.takesSlots()) {
      return;
    }
    List<Claim> claims = new ArrayList<>(1);
    for (int i = 0; i < decision.claimCount(); i++) {
      if (decision.claim(i).limit().isInFlight() && decision.outcome(i).charged()) {
        claims.add(decision.claim(i));
      }
    }
    release(claims);
  }

  private void release(List<Claim> claims) {
    if (!claims.isEmpty()) {
      var unused = store.apply(claims.toArray(new Claim[0]), StoreOperation.REFUND);
    }
  }

  /** Releases slots held for too long; costs one volatile read if there are none. */
  void expire() {
    if (nextExpiryMicros != NONE && clock.micros() >= nextExpiryMicros) {
      releaseExpired();
    }
  }

  private void releaseExpired() {
    List<Claim> expired = new ArrayList<>();
    synchronized (this) {
      long now = clock.micros();
      for (SlotList list : lists.values()) {
        for (HeldSlot slot = list.first;
            slot != null && slot.expiryMicros <= now;
            slot = list.first) {
          slot.remove();
          expired.add(slot.claim);
        }
      }
      updateNextExpiry();
    }
    release(expired);
  }

  /** Sets the timer for the oldest slot. It is not moved when that slot is released. */
  private void updateNextExpiry() {
    long next = NONE;
    for (SlotList list : lists.values()) {
      if (list.first != null) {
        next = Math.min(next, list.first.expiryMicros);
      }
    }
    lists.values().removeIf(list -> list.first == null);
    if (next != nextExpiryMicros) {
      nextExpiryMicros = next;
      expiryTimer.scheduleAt(next);
    }
  }

  /** Returns how many slots are held, by rule id. */
  synchronized Map<String, Integer> heldByRule() {
    Map<String, Integer> byRule = new HashMap<>();
    for (SlotList list : lists.values()) {
      for (HeldSlot slot = list.first; slot != null; slot = slot.next) {
        byRule.merge(slot.claim.limit().rule().id(), 1, Integer::sum);
      }
    }
    return byRule;
  }

  /** Releases the slots of all requests. */
  void close() {
    List<Claim> all = new ArrayList<>();
    synchronized (this) {
      for (SlotList list : lists.values()) {
        for (HeldSlot slot = list.first; slot != null; slot = list.first) {
          slot.remove();
          all.add(slot.claim);
        }
      }
      updateNextExpiry();
    }
    expiryTimer.cancel();
    release(all);
  }

  /** A permit whose slots are in this registry. */
  private final class DefaultPermit implements Limiter.Permit {
    private final Decision decision;
    private final List<HeldSlot> slots;

    DefaultPermit(Decision decision, List<HeldSlot> slots) {
      this.decision = decision;
      this.slots = slots;
    }

    @Override
    public Decision decision() {
      return decision;
    }

    @Override
    public boolean isHeld() {
      if (slots.isEmpty()) {
        return false;
      }
      synchronized (HeldPermits.this) {
        return slots.stream().anyMatch(slot -> slot.held);
      }
    }

    @Override
    public boolean release() {
      if (slots.isEmpty()) {
        return false;
      }
      List<Claim> released = new ArrayList<>(slots.size());
      synchronized (HeldPermits.this) {
        for (HeldSlot slot : slots) {
          if (slot.remove()) {
            released.add(slot.claim);
          }
        }
      }
      HeldPermits.this.release(released);
      return !released.isEmpty();
    }
  }
}
