package io.weir.internal.store.nodes;

import io.weir.internal.rule.Claim;
import io.weir.internal.rule.Limit;
import io.weir.internal.store.ClaimOutcome;
import io.weir.internal.store.ClaimStore;
import io.weir.internal.store.PendingDecision;
import io.weir.internal.store.StoreException;
import io.weir.store.StoreFailureKind;
import io.weir.store.StoreOperation;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The slots of in-flight limits that this node holds in a shared store, and its lease on them.
 *
 * <p>This table is the truth about the slots of this node; the store has a copy. Every call to the
 * store announces, for each counter it touches, how many slots the node holds at that moment. So a
 * node whose lease has lapsed announces what it still holds in the same atomic step in which it
 * asks for more, and a lost call or reply is corrected by the next call. This requires that at most
 * one call that takes slots of a counter is without a reply; the remote store sees to that. A call
 * without a reply, which the store may execute late, is outdated by the sequence number of a later
 * one.
 *
 * <p>Without calls the lease ends, and with it the slots of this node in the store: call {@link
 * #renew} at least four times per lease. Thread-safe.
 */
public final class HeldSlots {
  /** How long the slots of a node that has disappeared stay in use. */
  public static final Duration DEFAULT_LEASE = Duration.ofSeconds(5);

  private static final long MAX_NODE = 1L << 48;
  private static final int MAX_RENEWED_AT_ONCE = 200;

  private final long node = 1 + (new SecureRandom().nextLong() & (MAX_NODE - 1)) % (MAX_NODE - 1);
  private final long leaseMicros;
  private final AtomicLong lastSequence = new AtomicLong();
  private final Map<Long, SlotCount> counts = new ConcurrentHashMap<>();

  public HeldSlots(Duration lease) {
    leaseMicros = lease.toNanos() / 1000;
  }

  /** The slots held of one counter; changed only inside the map's methods. */
  private static final class SlotCount {
    volatile Limit limit;
    volatile long held;
    boolean reportPending;

    SlotCount(Limit limit) {
      this.limit = limit;
    }
  }

  /** Whether a claim of a decision is for a slot. */
  public static boolean isUsedBy(Claim[] claims) {
    for (Claim claim : claims) {
      if (claim.limit().isInFlight()) {
        return true;
      }
    }
    return false;
  }

  /** The random number by which the store knows this node; another one after a restart. */
  public long node() {
    return node;
  }

  public long leaseMicros() {
    return leaseMicros;
  }

  /** Returns the number of the next call, higher than those before. */
  public long nextSequence() {
    return lastSequence.incrementAndGet();
  }

  /** Returns the slots to announce for a counter in a call that is about to be sent. */
  public long announce(long key) {
    long[] held = {0};
    counts.computeIfPresent(
        key,
        (k, count) -> {
          count.reportPending = false;
          held[0] = count.held;
          return count;
        });
    return held[0];
  }

  /** Forgets a counter without slots once the store knows that there are none. */
  public void confirm(long key, long announced) {
    if (announced == 0) {
      counts.computeIfPresent(key, (k, count) -> count.held == 0 ? null : count);
    }
  }

  /**
   * Completes a decision with the store's answer. The slots it has taken are held by this node,
   * unless the caller has got another answer before.
   *
   * @param now the time of the guard's clock
   */
  public void answer(PendingDecision decision, ClaimOutcome[] outcomes, long now) {
    boolean takes = decision.operation() == StoreOperation.TAKE && isUsedBy(decision.claims());
    if (takes && decision.waitedMicros(now) >= leaseMicros) {
      // this node has stalled: the slots may have been given to others in the meantime
      decision.fail(new StoreException(StoreFailureKind.TIMEOUT, "the lease on slots has ended"));
      return;
    }
    if (takes) {
      add(decision.claims(), outcomes, 1); // before the caller can give them back
    }
    if (!decision.answer(outcomes, now) && takes) {
      add(decision.claims(), outcomes, -1);
    }
  }

  private void add(Claim[] claims, ClaimOutcome[] outcomes, int sign) {
    for (int i = 0; i < claims.length; i++) {
      if (claims[i].limit().isInFlight() && outcomes[i].charged()) {
        add(claims[i], sign * claims[i].cost());
      }
    }
  }

  /** Adds to the slots held; returns whether the change must be reported to the store. */
  private boolean add(Claim claim, long slots) {
    boolean[] mustReport = {false};
    counts.compute(
        claim.key(),
        (key, known) -> {
          SlotCount count = known == null ? new SlotCount(claim.limit()) : known;
          count.limit = claim.limit();
          count.held = Math.max(0, count.held + slots);
          mustReport[0] = !count.reportPending;
          count.reportPending |= slots < 0;
          return count;
        });
    return mustReport[0];
  }

  /**
   * Gives slots back. They are free for this node at once, and for other nodes when the store has
   * got the report that is sent here, or the next renewal.
   */
  void release(List<Claim> claims, ClaimStore store) {
    List<Claim> toReport = new ArrayList<>();
    for (Claim claim : claims) {
      if (add(claim, -claim.cost())) {
        toReport.add(claim);
      }
    }
    if (!toReport.isEmpty()) {
      var unused = store.apply(toReport.toArray(new Claim[0]), StoreOperation.PEEK);
    }
  }

  /** Renews the lease on all slots, and reports those whose release may not have arrived. */
  public void renew(ClaimStore store) {
    List<Claim> all = new ArrayList<>();
    counts.forEach(
        (key, count) -> {
          all.add(new Claim(count.limit, key, 1));
          if (all.size() == MAX_RENEWED_AT_ONCE) {
            var unused = store.apply(all.toArray(new Claim[0]), StoreOperation.PEEK);
            all.clear();
          }
        });
    if (!all.isEmpty()) {
      var unused = store.apply(all.toArray(new Claim[0]), StoreOperation.PEEK);
    }
  }

  /** Returns the slots that this node holds, by the id of the rule. */
  public Map<String, Long> byRule() {
    Map<String, Long> byRule = new HashMap<>();
    counts.forEach((key, count) -> byRule.merge(count.limit.rule().id(), count.held, Long::sum));
    return byRule;
  }

  /** Returns the claims that are for slots, if {@code slots}, otherwise the others. */
  static List<Claim> select(Claim[] claims, boolean slots) {
    List<Claim> selected = new ArrayList<>();
    for (Claim claim : claims) {
      if (claim.limit().isInFlight() == slots) {
        selected.add(claim);
      }
    }
    return selected;
  }
}
