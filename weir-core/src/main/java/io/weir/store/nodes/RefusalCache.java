package io.weir.store.nodes;

import io.weir.rule.Claim;
import io.weir.store.ClaimOutcome;
import io.weir.store.Clock;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Remembers who was refused, so that the store is not asked again before the wait is over.
 *
 * <p>Nothing but time, a refund, a reset or an edit of the rule can make room, so a refusal holds
 * until its wait is over; the wait is counted from when the request was sent, never a moment too
 * long. An edited rule has other limits, which are not found here. What is given back on this node
 * is felt at once by every request on the same counter: each counter has the time at which refusals
 * of earlier requests became void. For the rest the store is asked afresh every half second, so a
 * refund or reset on any node is felt everywhere within one.
 *
 * <p>A refusal also says what the limits that did not refuse had left. That changes while the
 * refusal holds, so such a request is asked again sooner.
 *
 * <p>A table of fixed size in which the newer pushes out the older; safe for any number of threads.
 */
public final class RefusalCache {
  private static final int SIZE = 1 << 14;
  private static final long MAX_AGE_MICROS = 500_000;
  private static final long MAX_MIXED_AGE_MICROS = 50_000;

  private final AtomicReferenceArray<@Nullable CachedRefusal> table =
      new AtomicReferenceArray<>(SIZE);
  private final AtomicLongArray invalidatedUntil = new AtomicLongArray(SIZE);
  private final Clock clock;

  public RefusalCache(Clock clock) {
    this.clock = clock;
  }

  /** What was said to a request, and for how long it holds. */
  private static final class CachedRefusal {
    final Claim[] claims;
    final ClaimOutcome[] outcomes;
    final long sentAt;
    final long expiresAt;

    CachedRefusal(Claim[] claims, ClaimOutcome[] outcomes, long since, long until) {
      this.claims = claims;
      this.outcomes = outcomes;
      this.sentAt = since;
      this.expiresAt = until;
    }
  }

  /** Remembers what was said to a request sent at that time, if it was refused for a while. */
  public void put(Claim[] claims, ClaimOutcome[] outcomes, long sent) {
    put(claims, outcomes, sent, 0);
  }

  /**
   * As above.
   *
   * @param least for how long it holds at least, where the store is to be asked less often
   */
  void put(Claim[] claims, ClaimOutcome[] outcomes, long sent, long least) {
    long wait = 0;
    long longest = MAX_AGE_MICROS;
    for (int i = 0; i < outcomes.length; i++) {
      ClaimOutcome o = outcomes[i];
      if (o.degraded()) {
        return;
      }
      if (!o.admitted() && !claims[i].limit().shadow()) {
        wait =
            Math.max(
                Math.max(wait, least), o.costExceedsLimit() ? MAX_AGE_MICROS : o.delayOrWait());
      } else {
        longest = MAX_MIXED_AGE_MICROS;
      }
    }
    if (wait > 0) {
      long until = sent + Math.min(wait, longest);
      table.setRelease(slot(claims), new CachedRefusal(claims, outcomes, sent, until));
    }
  }

  /** What the store would say again to this request; null if it must be asked. */
  public ClaimOutcome @Nullable [] get(Claim[] claims) {
    int slot = slot(claims);
    CachedRefusal refusal = table.getAcquire(slot);
    if (refusal == null || !isSameRequest(refusal.claims, claims)) {
      return null;
    }
    long now = clock.micros();
    if (now >= refusal.expiresAt || isInvalidated(refusal)) {
      table.compareAndSet(slot, refusal, null);
      return null;
    }
    long passed = now - refusal.sentAt;
    ClaimOutcome[] outcomes = new ClaimOutcome[claims.length];
    for (int i = 0; i < outcomes.length; i++) {
      ClaimOutcome o = refusal.outcomes[i];
      long pause =
          o.delayOrWait() > 0
              ? Math.max(o.admitted() ? 0 : 1, o.delayOrWait() - passed)
              : o.delayOrWait();
      long reset = Math.max(0, o.reset() - passed);
      outcomes[i] =
          new ClaimOutcome(o.admitted(), false, o.remaining(), reset, pause, o.time() + passed);
    }
    return outcomes;
  }

  /**
   * Makes refusals of requests on any of these counters void, since some of it is given back. To be
   * called when it is, and again when the store has answered, for requests sent meanwhile.
   */
  public void invalidate(Claim[] claims) {
    long now = clock.micros();
    for (Claim claim : claims) {
      invalidatedUntil.accumulateAndGet(slot(claim), now, Math::max);
    }
  }

  private boolean isInvalidated(CachedRefusal refusal) {
    for (Claim claim : refusal.claims) {
      if (refusal.sentAt <= invalidatedUntil.getAcquire(slot(claim))) {
        return true;
      }
    }
    return false;
  }

  /** Whether the claims are on the same counters, under the same limits, and cost the same. */
  public static boolean isSameRequest(Claim[] some, Claim[] others) {
    if (some.length != others.length) {
      return false;
    }
    for (int i = 0; i < some.length && some != others; i++) {
      Claim a = some[i];
      Claim b = others[i];
      if (a.key() != b.key() || a.cost() != b.cost() || a.limit() != b.limit()) {
        return false;
      }
    }
    return true;
  }

  private static int slot(Claim[] claims) {
    long mixed = 0;
    for (Claim claim : claims) {
      mixed = (mixed + claim.key()) * 0x9E3779B97F4A7C15L;
    }
    return (int) (mixed >>> 50);
  }

  private static int slot(Claim claim) {
    return (int) ((claim.key() * 0x9E3779B97F4A7C15L) >>> 50);
  }
}
