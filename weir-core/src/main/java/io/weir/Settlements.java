package io.weir;

import io.weir.internal.decision.EvaluatedDecision;
import io.weir.internal.rule.Claim;
import io.weir.internal.rule.CompiledRuleSet;
import io.weir.internal.rule.Limit;
import io.weir.internal.store.ClaimOutcome;
import io.weir.internal.store.ClaimStore;
import io.weir.rule.Rule;
import io.weir.rule.RuleSource;
import io.weir.store.Clock;
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
import java.util.function.ToLongBiFunction;

/**
 * Corrects what decisions charged: to zero for a refund, or to the actual cost of a reservation.
 * Refunds only claims that were charged, each dated at the time of its own charge. Charges now what
 * an unavailable store did not charge.
 *
 * <p>While the store is unavailable, a bounded number of corrections is queued and sent when it
 * answers again. A correction without a reply may or may not have been applied: a charge is sent
 * again (it may be charged twice, never not at all), a refund is not (it may be lost, never applied
 * twice). Thread-safe.
 */
final class Settlements {
  private static final Logger LOG = System.getLogger(Limiter.class.getName());
  static final int MAX_PENDING = 10_000;
  private static final int MAX_BATCH_SIZE = 250;
  private static final long RETRY_INTERVAL_MICROS = 500_000;

  private final ClaimStore store;
  private final RuleSource rules;
  private final Clock clock;
  private final SingleTimer retryTimer;
  private final ArrayDeque<Correction> pending = new ArrayDeque<>();
  private final AtomicBoolean overflowed = new AtomicBoolean();
  private volatile boolean closed;

  Settlements(ClaimStore store, RuleSource rules, Clock clock, CancellableScheduler scheduler) {
    this.store = store;
    this.rules = rules;
    this.clock = clock;
    retryTimer = new SingleTimer(clock, scheduler, this::onRetryTimer);
  }

  /** Corrects the cost of a decision to {@code cost}, which must be 0 or more. */
  Settlement settle(Decision decision, long cost) {
    return settle(
        decision,
        (claim, outcome) -> {
          boolean isDeferred = claim.limit().deferred(); // only complete() charges it
          return isCounted(decision, outcome) && !isDeferred ? cost : 0;
        });
  }

  /** Charges or refunds the claims of the rules that count by the status of the response. */
  Settlement complete(Decision decision, int status) {
    return settle(
        decision,
        (claim, outcome) -> {
          Rule rule = claim.limit().rule();
          if (claim.limit().deferred()) {
            boolean isCharged = outcome.admitted() && rule.isChargedOn(status);
            return decision.allowed() && isCharged ? claim.cost() : 0;
          }
          return outcome.charged() && !rule.isRefundedOn(status) ? claim.cost() : 0;
        });
  }

  /** Corrects the cost of each claim to what the function returns. */
  private Settlement settle(Decision decision, ToLongBiFunction<Claim, ClaimOutcome> actualCost) {
    CompiledRuleSet current = CompiledRuleSet.of(rules.current());
    List<Claim> charges = new ArrayList<>();
    Map<Long, List<Claim>> refunds = new TreeMap<>();
    for (int i = 0; i < EvaluatedDecision.of(decision).claimCount(); i++) {
      Claim claim = EvaluatedDecision.of(decision).claim(i);
      ClaimOutcome outcome = EvaluatedDecision.of(decision).outcome(i);
      if (claim.limit().isInFlight()) {
        continue; // slots are held by permits
      }
      long charged = outcome.charged() ? claim.cost() : 0;
      long cost = actualCost.applyAsLong(claim, outcome);
      if (charged > cost) {
        Claim refund = new Claim(claim.limit(), claim.key(), charged - cost);
        refunds
            .computeIfAbsent(outcome.chargedAt(refund), time -> new ArrayList<>())
            .add(new Claim(current.successor(claim.limit()), refund.key(), refund.cost()));
      } else if (charged < cost) {
        charges.add(new Claim(current.successor(claim.limit()), claim.key(), cost - charged));
      }
    }
    List<Correction> corrections = new ArrayList<>(refunds.size() + 1);
    if (!charges.isEmpty()) {
      corrections.add(new Correction(StoreOperation.FORCE, charges, ClaimStore.NOW));
    }
    refunds.forEach(
        (time, claims) -> corrections.add(new Correction(StoreOperation.REFUND, claims, time)));
    return new Settlement(corrections);
  }

  /**
   * Returns whether the actual cost counts: an available store charged it or would have charged it.
   */
  private static boolean isCounted(Decision decision, ClaimOutcome outcome) {
    return outcome.charged() || (decision.allowed() && outcome.degraded() && outcome.admitted());
  }

  /** Returns the number of corrections that wait for the store. */
  int pending() {
    synchronized (pending) {
      return pending.size();
    }
  }

  /** Tries to send the pending corrections one last time. */
  CompletableFuture<Void> close() {
    closed = true;
    retryTimer.cancel();
    return retryPending();
  }

  /** The corrections of one decision and their state. */
  static final class Settlement {
    private final List<Correction> corrections;
    private final CompletableFuture<Void> attempted;

    private Settlement(List<Correction> corrections) {
      this.corrections = corrections;
      attempted =
          CompletableFuture.allOf(
              corrections.stream().map(Correction::start).toArray(CompletableFuture<?>[]::new));
    }

    /** Completes when the store has answered or failed. */
    CompletableFuture<Void> attempted() {
      return attempted;
    }

    Reservation.State state() {
      boolean unconfirmed = false;
      for (Correction correction : corrections) {
        if (!correction.remainingClaims.isEmpty()) {
          return Reservation.State.PENDING;
        }
        unconfirmed |= correction.unconfirmed;
      }
      return unconfirmed ? Reservation.State.UNCONFIRMED : Reservation.State.SETTLED;
    }
  }

  /** Claims to charge or refund with one store call. */
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

    /** Sends the correction at once if the store is available, otherwise probes the store first. */
    CompletableFuture<Void> start() {
      return store.isAvailable() ? send(remainingClaims, List.of()) : retry();
    }

    /** Sends the claims whose counters are reachable and queues the rest. */
    CompletableFuture<Void> retry() {
      List<Claim> current =
          remainingClaims.stream().filter(claim -> !isExpired(claim.limit())).toList();
      return store
          .apply(current.toArray(new Claim[0]), StoreOperation.PEEK)
          .thenCompose(
              outcomes -> {
                List<Claim> reachable = new ArrayList<>();
                List<Claim> unreachable = new ArrayList<>();
                for (int i = 0; i < outcomes.length; i++) {
                  (outcomes[i].degraded() ? unreachable : reachable).add(current.get(i));
                }
                return send(reachable, unreachable);
              });
    }

    private boolean isExpired(Limit limit) {
      return limit.algorithm().hasExpired(limit.parameters(), clock.micros() - settledAtMicros);
    }

    private CompletableFuture<Void> send(List<Claim> sent, List<Claim> unsent) {
      return store
          .apply(sent.toArray(new Claim[0]), operation, effectiveMicros)
          .thenAccept(
              outcomes -> {
                List<Claim> remaining = new ArrayList<>(unsent);
                for (int i = 0; i < outcomes.length; i++) {
                  if (operation == StoreOperation.REFUND) {
                    unconfirmed |= outcomes[i].degraded();
                  } else if (!outcomes[i].charged()) {
                    remaining.add(sent.get(i));
                  }
                }
                remainingClaims = remaining;
                if (!remaining.isEmpty()) {
                  enqueue(this);
                }
              });
    }
  }

  private void enqueue(Correction correction) {
    synchronized (pending) {
      if (pending.size() < MAX_PENDING) {
        correction.effectiveMicros =
            correction.effectiveMicros == ClaimStore.NOW
                ? correction.settledAtMicros
                : correction.effectiveMicros;
        pending.add(correction);
        if (!closed) {
          retryTimer.scheduleAt(clock.micros() + RETRY_INTERVAL_MICROS);
        }
        return;
      }
    }
    correction.remainingClaims = List.of();
    correction.unconfirmed = true;
    if (overflowed.compareAndSet(false, true)) {
      LOG.log(
          Level.WARNING,
          "more than {0} charges and refunds are waiting for the store; discarding further ones",
          MAX_PENDING);
    }
  }

  private void onRetryTimer() {
    var unused = retryPending();
  }

  /** Sends pending corrections in batches, as long as the store accepts any of them. */
  private CompletableFuture<Void> retryPending() {
    List<Correction> batch = new ArrayList<>();
    synchronized (pending) {
      while (!pending.isEmpty() && batch.size() < MAX_BATCH_SIZE) {
        batch.add(pending.remove());
      }
    }
    return CompletableFuture.allOf(
            batch.stream().map(Correction::retry).toArray(CompletableFuture<?>[]::new))
        .thenCompose(
            done ->
                pending() > 0
                        && batch.stream()
                            .anyMatch(correction -> correction.remainingClaims.isEmpty())
                    ? retryPending()
                    : CompletableFuture.completedFuture(null));
  }
}
