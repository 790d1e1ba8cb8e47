package io.weir.internal.store.nodes;

import io.weir.internal.rule.Claim;
import io.weir.internal.store.ClaimOutcome;
import io.weir.store.Clock;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * A cache of refusals, so that the store is not called again for a refused request before its wait
 * is over.
 *
 * <p>Only time, a refund, a reset or an edit of the rule makes permits available, so a refusal is
 * valid until its wait is over; the wait counts from when the request was sent, so it is never too
 * long. An edited rule has other limits, which miss the cache. A refund on this node applies at
 * once to all requests on the same counter: for each counter the cache keeps the time of the last
 * refund, which invalidates refusals of earlier requests. In all other cases an entry expires after
 * half a second, so that a refund or reset on any node takes effect everywhere within that time.
 *
 * <p>A refusal also has the remaining permits of the limits that did not refuse. These change while
 * the refusal is valid, so such an entry expires sooner.
 *
 * <p>A table of fixed size in which a newer entry replaces an older one. Safe for any number of
 * threads.
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

  /** The outcomes of a refused request, and how long they are valid. */
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

  /** Caches the outcomes of a request that was sent at that time, if it was refused temporarily. */
  public void put(Claim[] claims, ClaimOutcome[] outcomes, long sent) {
    put(claims, outcomes, sent, 0);
  }

  /**
   * As above.
   *
   * @param minMicros how long the entry is valid at least
   */
  void put(Claim[] claims, ClaimOutcome[] outcomes, long sent, long minMicros) {
    long wait = 0;
    long maxAge = MAX_AGE_MICROS;
    for (int i = 0; i < outcomes.length; i++) {
      ClaimOutcome o = outcomes[i];
      if (o.degraded() || claims[i].limit().isInFlight()) {
        return; // slots become free when requests end, at any time
      }
      if (!o.admitted() && !claims[i].limit().shadow()) {
        wait =
            Math.max(
                Math.max(wait, minMicros), o.costExceedsLimit() ? MAX_AGE_MICROS : o.delayOrWait());
      } else {
        maxAge = MAX_MIXED_AGE_MICROS;
      }
    }
    if (wait > 0) {
      long until = sent + Math.min(wait, maxAge);
      table.setRelease(slot(claims), new CachedRefusal(claims, outcomes, sent, until));
    }
  }

  /** The cached outcomes of this request, with times updated; null if there are none. */
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
      long delayOrWait = o.delayOrWait();
      if (delayOrWait > 0) {
        delayOrWait = Math.max(o.admitted() ? 0 : 1, delayOrWait - passed);
      }
      long reset = Math.max(0, o.reset() - passed);
      long time = o.time() + passed;
      outcomes[i] = new ClaimOutcome(o.admitted(), false, o.remaining(), reset, delayOrWait, time);
    }
    return outcomes;
  }

  /**
   * Invalidates the refusals of requests on any of these counters, because of a refund. Must be
   * called when the refund is sent and again when the store has answered, for the requests that
   * were sent in between.
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

  /** Whether the claims have the same counters, limits and costs. */
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
