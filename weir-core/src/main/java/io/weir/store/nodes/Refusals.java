package io.weir.store.nodes;

import io.weir.rule.Claim;
import io.weir.store.Clock;
import io.weir.store.Outcome;
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
public final class Refusals {
  private static final int SIZE = 1 << 14;
  private static final long LONGEST = 500_000;
  private static final long LONGEST_MIXED = 50_000;

  private final AtomicReferenceArray<@Nullable Refusal> table = new AtomicReferenceArray<>(SIZE);
  private final AtomicLongArray voidUntil = new AtomicLongArray(SIZE);
  private final Clock clock;

  public Refusals(Clock clock) {
    this.clock = clock;
  }

  /** What was said to a request, and for how long it holds. */
  private static final class Refusal {
    final Claim[] claims;
    final Outcome[] outcomes;
    final long since;
    final long until;

    Refusal(Claim[] claims, Outcome[] outcomes, long since, long until) {
      this.claims = claims;
      this.outcomes = outcomes;
      this.since = since;
      this.until = until;
    }
  }

  /** Remembers what was said to a request sent at that time, if it was refused for a while. */
  public void remember(Claim[] claims, Outcome[] outcomes, long sent) {
    remember(claims, outcomes, sent, 0);
  }

  /**
   * As above.
   *
   * @param least for how long it holds at least, where the store is to be asked less often
   */
  void remember(Claim[] claims, Outcome[] outcomes, long sent, long least) {
    long wait = 0;
    long longest = LONGEST;
    for (int i = 0; i < outcomes.length; i++) {
      Outcome o = outcomes[i];
      if (o.degraded()) {
        return;
      }
      if (!o.fits() && !claims[i].limit().shadow()) {
        wait = Math.max(Math.max(wait, least), o.never() ? LONGEST : o.pause());
      } else {
        longest = LONGEST_MIXED;
      }
    }
    if (wait > 0) {
      long until = sent + Math.min(wait, longest);
      table.setRelease(slot(claims), new Refusal(claims, outcomes, sent, until));
    }
  }

  /** What the store would say again to this request; null if it must be asked. */
  public Outcome @Nullable [] recall(Claim[] claims) {
    int slot = slot(claims);
    Refusal refusal = table.getAcquire(slot);
    if (refusal == null || !isSame(refusal.claims, claims)) {
      return null;
    }
    long now = clock.micros();
    if (now >= refusal.until || isVoid(refusal)) {
      table.compareAndSet(slot, refusal, null);
      return null;
    }
    long passed = now - refusal.since;
    Outcome[] outcomes = new Outcome[claims.length];
    for (int i = 0; i < outcomes.length; i++) {
      Outcome o = refusal.outcomes[i];
      long pause = o.pause() > 0 ? Math.max(o.fits() ? 0 : 1, o.pause() - passed) : o.pause();
      long reset = Math.max(0, o.reset() - passed);
      outcomes[i] = new Outcome(o.fits(), false, o.remaining(), reset, pause, o.time() + passed);
    }
    return outcomes;
  }

  /**
   * Makes refusals of requests on any of these counters void, since some of it is given back. To be
   * called when it is, and again when the store has answered, for requests sent meanwhile.
   */
  public void forget(Claim[] claims) {
    long now = clock.micros();
    for (Claim claim : claims) {
      voidUntil.accumulateAndGet(slot(claim), now, Math::max);
    }
  }

  private boolean isVoid(Refusal refusal) {
    for (Claim claim : refusal.claims) {
      if (refusal.since <= voidUntil.getAcquire(slot(claim))) {
        return true;
      }
    }
    return false;
  }

  /** Whether the claims are on the same counters, under the same limits, and cost the same. */
  public static boolean isSame(Claim[] some, Claim[] others) {
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
