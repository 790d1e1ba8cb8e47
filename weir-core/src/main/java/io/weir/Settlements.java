package io.weir;

import io.weir.rule.Claim;
import io.weir.rule.Limit;
import io.weir.rule.RuleSet;
import io.weir.rule.RuleSource;
import io.weir.store.ClaimOutcome;
import io.weir.store.Clock;
import io.weir.store.Store;
import io.weir.store.StoreOperation;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Corrects what decisions charged: to nothing, which is a refund, or to the true cost of a
 * reservation. Only claims that were charged are given back, each dated at its own charge; what the
 * store was not there to charge is charged now.
 *
 * <p>While the store is unavailable, a bounded number of corrections is kept and sent when it
 * answers again. A correction that was sent and not answered may have been applied: a charge is
 * then sent again (charged twice rather than never), a refund is not (given back never rather than
 * twice). Safe for any number of threads.
 */
final class Settlements {
  private static final Logger LOG = System.getLogger(Limiter.class.getName());
  static final int MAX_PENDING = 10_000;
  private static final int MAX_BATCH_SIZE = 250;
  private static final long RETRY_INTERVAL_MICROS = 500_000;

  private final Store store;
  private final RuleSource rules;
  private final Clock clock;
  private final SingleTimer retryTimer;
  private final ArrayDeque<Correction> pending = new ArrayDeque<>();
  private final AtomicBoolean overflowed = new AtomicBoolean();
  private volatile boolean closed;

  Settlements(Store store, RuleSource rules, Clock clock, CancellableScheduler scheduler) {
    this.store = store;
    this.rules = rules;
    this.clock = clock;
    retryTimer = new SingleTimer(clock, scheduler, this::onRetryTimer);
  }

  /** Makes a decision cost {@code cost}, 0 or more, instead of what it charged. */
  Settlement settle(Decision decision, long cost) {
    RuleSet current = rules.current();
    List<Claim> charges = new ArrayList<>();
    Map<Long, List<Claim>> refunds = new TreeMap<>();
    for (int i = 0; i < decision.claimCount(); i++) {
      Claim claim = decision.claim(i);
      ClaimOutcome outcome = decision.outcome(i);
      long charged = outcome.charged() ? claim.cost() : 0;
      if (charged > cost) {
        Claim back = new Claim(claim.limit(), claim.key(), charged - cost);
        refunds
            .computeIfAbsent(outcome.chargedAt(back), time -> new ArrayList<>())
            .add(new Claim(current.successor(claim.limit()), back.key(), back.cost()));
      } else if (charged < cost && isCounted(decision, outcome)) {
        charges.add(new Claim(current.successor(claim.limit()), claim.key(), cost - charged));
      }
    }
    List<Correction> corrections = new ArrayList<>(refunds.size() + 1);
    if (!charges.isEmpty()) {
      corrections.add(new Correction(StoreOperation.FORCE, charges, Store.NOW));
    }
    refunds.forEach(
        (time, some) -> corrections.add(new Correction(StoreOperation.REFUND, some, time)));
    return new Settlement(corrections);
  }

  /** Whether the true cost is counted: it was charged, or would have been by an available store. */
  private static boolean isCounted(Decision decision, ClaimOutcome outcome) {
    return outcome.charged() || (decision.allowed() && outcome.degraded() && outcome.admitted());
  }

  /** How many corrections wait for the store. */
  int pending() {
    synchronized (pending) {
      return pending.size();
    }
  }

  /** Tries once more to send what is pending, and never again after that. */
  CompletableFuture<Void> close() {
    closed = true;
    retryTimer.cancel();
    return retryPending();
  }

  /** What becomes of one decision's corrections. */
  static final class Settlement {
    private final List<Correction> corrections;
    private final CompletableFuture<Void> attempted;

    private Settlement(List<Correction> corrections) {
      this.corrections = corrections;
      attempted =
          CompletableFuture.allOf(
              corrections.stream().map(Correction::start).toArray(CompletableFuture<?>[]::new));
    }

    /** Done when the store has answered, or has failed to. */
    CompletableFuture<Void> attempted() {
      return attempted;
    }

    Reservation.State state() {
      boolean unconfirmed = false;
      for (Correction one : corrections) {
        if (!one.remainingClaims.isEmpty()) {
          return Reservation.State.PENDING;
        }
        unconfirmed |= one.unconfirmed;
      }
      return unconfirmed ? Reservation.State.UNCONFIRMED : Reservation.State.SETTLED;
    }
  }

  /** Claims to be charged or given back by one call of the store. */
  private final class Correction {
    private final StoreOperation operation;
    private final long settledAtMicros = clock.micros();
    private volatile long effectiveMicros;
    private volatile List<Claim> remainingClaims;
    private volatile boolean unconfirmed;

    Correction(StoreOperation mode, List<Claim> claims, long when) {
      this.operation = mode;
      this.remainingClaims = claims;
      this.effectiveMicros = when;
    }

    /** Sends it to a store that seems available; others are asked first whether they answer. */
    CompletableFuture<Void> start() {
      return store.isAvailable() ? send(remainingClaims, List.of()) : retry();
    }

    /** Sends what concerns counters that can be reached, and keeps the rest. */
    CompletableFuture<Void> retry() {
      List<Claim> due =
          remainingClaims.stream().filter(claim -> !isExpired(claim.limit())).toList();
      return store
          .apply(due.toArray(new Claim[0]), StoreOperation.PEEK)
          .thenCompose(
              said -> {
                List<Claim> reachable = new ArrayList<>();
                List<Claim> unreachable = new ArrayList<>();
                for (int i = 0; i < said.length; i++) {
                  (said[i].degraded() ? unreachable : reachable).add(due.get(i));
                }
                return send(reachable, unreachable);
              });
    }

    private boolean isExpired(Limit limit) {
      return limit.algorithm().hasExpired(limit.parameters(), clock.micros() - settledAtMicros);
    }

    private CompletableFuture<Void> send(List<Claim> some, List<Claim> unsent) {
      return store
          .apply(some.toArray(new Claim[0]), operation, effectiveMicros)
          .thenAccept(
              said -> {
                List<Claim> left = new ArrayList<>(unsent);
                for (int i = 0; i < said.length; i++) {
                  if (operation == StoreOperation.REFUND) {
                    unconfirmed |= said[i].degraded();
                  } else if (!said[i].charged()) {
                    left.add(some.get(i));
                  }
                }
                remainingClaims = left;
                if (!left.isEmpty()) {
                  enqueue(this);
                }
              });
    }
  }

  private void enqueue(Correction one) {
    synchronized (pending) {
      if (pending.size() < MAX_PENDING) {
        one.effectiveMicros =
            one.effectiveMicros == Store.NOW ? one.settledAtMicros : one.effectiveMicros;
        pending.add(one);
        if (!closed) {
          retryTimer.scheduleAt(clock.micros() + RETRY_INTERVAL_MICROS);
        }
        return;
      }
    }
    one.remainingClaims = List.of();
    one.unconfirmed = true;
    if (overflowed.compareAndSet(false, true)) {
      LOG.log(
          Level.WARNING,
          "more than {0} charges and refunds wait for the store; further ones are lost",
          MAX_PENDING);
    }
  }

  private void onRetryTimer() {
    var unused = retryPending();
  }

  /** Tries what is pending again, some at a time for as long as the store takes any of it. */
  private CompletableFuture<Void> retryPending() {
    List<Correction> some = new ArrayList<>();
    synchronized (pending) {
      while (!pending.isEmpty() && some.size() < MAX_BATCH_SIZE) {
        some.add(pending.remove());
      }
    }
    return CompletableFuture.allOf(
            some.stream().map(Correction::retry).toArray(CompletableFuture<?>[]::new))
        .thenCompose(
            done ->
                pending() > 0 && some.stream().anyMatch(one -> one.remainingClaims.isEmpty())
                    ? retryPending()
                    : CompletableFuture.completedFuture(null));
  }
}
