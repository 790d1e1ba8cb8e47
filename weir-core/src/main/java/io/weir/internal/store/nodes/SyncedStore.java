package io.weir.internal.store.nodes;

import io.weir.internal.rule.Claim;
import io.weir.internal.rule.Fingerprint;
import io.weir.internal.rule.Limit;
import io.weir.internal.store.ClaimOutcome;
import io.weir.internal.store.ClaimStore;
import io.weir.internal.store.Scheduler;
import io.weir.store.Clock;
import io.weir.store.StoreOperation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Counts in this node's memory, and in every interval reports the admitted permits to the shared
 * store and reads what is left.
 *
 * <p>The {@link SyncedView} of a counter decides while it is at most about an interval old. For a
 * counter that is new here, or was not used during an interval, the usage of other nodes is not
 * known: the shared store decides such a request, and its answer updates the view. So together the
 * nodes admit at most what {@link OvershootBound} states.
 *
 * <p>While the store is unavailable the view decides by itself, whatever its age. Usage that could
 * not be reported is kept and reported later with its original date, so that it counts in its own
 * window or, if that is over, not at all. A report that was not answered is repeated: permits may
 * be charged twice but are never lost. When there are too many counters to keep unreported usage,
 * the shared store decides, and while it is unavailable, the rule's fallback. Safe for any number
 * of threads.
 */
final class SyncedStore implements ClaimStore {
  /** The sync interval of exact rules that are decided here while the store is slow. */
  private static final long SPIKE_SYNC_INTERVAL_MICROS = 100_000;

  /** How long a store that did not answer is not called again for the same counter. */
  private static final long RETRY_MICROS = 100_000;

  private final ClaimStore shared;
  private final Clock clock;
  private final EstimatedStoreClock storeClock;
  private final SyncedView view;
  private final int maxCounters;
  private final CounterSynchronizer.SyncContext context;
  private final StripedLocks locks = new StripedLocks();
  private final Map<Long, CounterSynchronizer> synchronizers = new ConcurrentHashMap<>();

  /**
   * @param clock this node's clock
   * @param maxCounters how many synced counters are kept at most
   */
  SyncedStore(
      ClaimStore shared,
      Clock clock,
      EstimatedStoreClock storeClock,
      Scheduler scheduler,
      SyncedView view,
      int maxCounters) {
    this.shared = shared;
    this.clock = clock;
    this.storeClock = storeClock;
    this.view = view;
    this.maxCounters = maxCounters;
    context = new CounterSynchronizer.SyncContext(clock, storeClock, scheduler, view, locks);
  }

  @Override
  public CompletableFuture<ClaimOutcome[]> apply(
      Claim[] claims, StoreOperation operation, long when) {
    if (operation == StoreOperation.REFUND) {
      return refund(claims, when);
    }
    ClaimOutcome[] known = locks.withLocks(claims, () -> decideIfFresh(claims, operation, when));
    return known == null
        ? decideInStore(claims, operation, when)
        : CompletableFuture.completedFuture(known);
  }

  /** Decides by the view, whatever its age; null if there are too many counters. */
  ClaimOutcome @Nullable [] decideLocally(Claim[] claims, StoreOperation operation, long when) {
    return locks.withLocks(
        claims,
        () -> {
          SyncedCounter[] countersOfClaims = counters(claims);
          return countersOfClaims == null
              ? null
              : decideByView(claims, countersOfClaims, operation, when);
        });
  }

  /** Decides by the view, unless it is too old; null if the shared store must decide. */
  private ClaimOutcome @Nullable [] decideIfFresh(
      Claim[] claims, StoreOperation operation, long when) {
    long now = clock.micros();
    SyncedCounter[] countersOfClaims = new SyncedCounter[claims.length];
    for (int i = 0; i < claims.length; i++) {
      CounterSynchronizer synchronizer = synchronizerFor(claims[i].limit());
      SyncedCounter counter = synchronizer.counters().get(claims[i].key());
      if (counter == null || !counter.canDecideLocally(now, synchronizer.maxViewAgeMicros())) {
        return null;
      }
      long requested = counter.requestedPermits();
      if (requested > 0 && !view.canAdmit(claims[i], requested)) {
        return null; // depends on the store's answers to pending requests
      }
      countersOfClaims[i] = counter;
    }
    return decideByView(claims, countersOfClaims, operation, when);
  }

  private ClaimOutcome[] decideByView(
      Claim[] claims, SyncedCounter[] countersOfClaims, StoreOperation operation, long when) {
    ClaimOutcome[] outcomes = view.apply(claims, operation, when);
    long[] charged = ClaimSubset.chargedPermits(claims, operation, outcomes);
    for (int i = 0; i < claims.length; i++) {
      long dated = storeClock.hasEstimate() ? Math.min(when, outcomes[i].time()) : when;
      countersOfClaims[i].recordUsage(claims[i].limit(), charged[i], dated);
    }
    return outcomes;
  }

  /** Lets the shared store decide. */
  private CompletableFuture<ClaimOutcome[]> decideInStore(
      Claim[] claims, StoreOperation operation, long when) {
    SyncedCounter[] countersOfClaims =
        locks.withLocks(claims, () -> beginRequests(claims, operation));
    long sent = clock.micros();
    CompletableFuture<ClaimOutcome[]> answer = shared.apply(claims, operation, when);
    return countersOfClaims == null
        ? answer
        : answer.thenApply(
            answers ->
                locks.withLocks(
                    claims,
                    () -> {
                      update(claims, countersOfClaims, operation, answers, sent);
                      return resolve(claims, countersOfClaims, operation, when, answers);
                    }));
  }

  private SyncedCounter @Nullable [] beginRequests(Claim[] claims, StoreOperation operation) {
    SyncedCounter[] countersOfClaims = counters(claims);
    for (int i = 0; countersOfClaims != null && i < claims.length; i++) {
      countersOfClaims[i].beginRequest(claims[i].limit(), requestedPermits(claims[i], operation));
    }
    return countersOfClaims;
  }

  private static long requestedPermits(Claim claim, StoreOperation operation) {
    boolean isDeferred = operation == StoreOperation.TAKE && claim.limit().deferred();
    return operation == StoreOperation.PEEK || isDeferred ? 0 : claim.cost();
  }

  private void update(
      Claim[] claims,
      SyncedCounter[] countersOfClaims,
      StoreOperation operation,
      ClaimOutcome[] answers,
      long sent) {
    for (int i = 0; i < claims.length; i++) {
      countersOfClaims[i].endRequest(requestedPermits(claims[i], operation));
      storeClock.update(answers[i], sent);
    }
    long[] charged = ClaimSubset.chargedPermits(claims, operation, answers);
    for (int i = 0; i < claims.length; i++) {
      boolean known = !answers[i].degraded();
      if (known && charged[i] > 0) { // with the store's date
        view.apply(new Claim[] {claims[i]}, StoreOperation.FORCE, answers[i].time());
      }
      if (known) {
        view.update(claims[i], answers[i], countersOfClaims[i], sent);
      }
    }
  }

  /**
   * Computes the outcomes of a request that was submitted to the shared store. If the store did not
   * answer, this node decides. If the store admitted the request but the unreported usage of this
   * node leaves too few permits, the request is refused after all.
   */
  private ClaimOutcome[] resolve(
      Claim[] claims,
      SyncedCounter[] countersOfClaims,
      StoreOperation operation,
      long when,
      ClaimOutcome[] answers) {
    boolean admitted = operation == StoreOperation.TAKE && ClaimSubset.isAdmitted(claims, answers);
    boolean degraded = false;
    boolean refused = false;
    boolean[] over = new boolean[claims.length];
    for (int i = 0; i < claims.length; i++) {
      if (answers[i].degraded()) {
        degraded = true;
        countersOfClaims[i].allowLocalDecisionsUntil(clock.micros() + RETRY_MICROS);
      } else {
        over[i] =
            admitted
                && answers[i].admitted()
                && answers[i].remaining() < countersOfClaims[i].unconfirmedPermits();
        refused |= over[i] && !claims[i].limit().shadow();
      }
    }
    ClaimOutcome[] outcomes = answers.clone();
    for (int i = 0; i < claims.length && admitted; i++) {
      boolean charged = answers[i].admitted() && !answers[i].degraded();
      if (charged && !claims[i].limit().deferred() && (degraded || refused || over[i])) {
        Claim[] claim = {claims[i]};
        var unused = shared.apply(claim, StoreOperation.REFUND, answers[i].time());
        view.apply(claim, StoreOperation.REFUND, NOW);
        outcomes[i] = view.apply(claim, StoreOperation.PEEK, NOW)[0];
      }
    }
    return degraded ? decideByView(claims, countersOfClaims, operation, when) : outcomes;
  }

  /** Cancels unreported usage here, and refunds only the rest in the shared store. */
  private CompletableFuture<ClaimOutcome[]> refund(Claim[] claims, long when) {
    List<Claim> reported = new ArrayList<>();
    ClaimOutcome[] seen =
        locks.withLocks(
            claims,
            () -> {
              for (Claim claim : claims) {
                SyncedCounter counter = synchronizerFor(claim.limit()).counters().get(claim.key());
                long rest =
                    counter == null ? claim.cost() : counter.cancelUnreported(claim.cost(), when);
                if (rest > 0) {
                  reported.add(new Claim(claim.limit(), claim.key(), rest));
                }
              }
              return view.apply(claims, StoreOperation.REFUND, when);
            });
    return reported.isEmpty()
        ? CompletableFuture.completedFuture(seen)
        : shared
            .apply(reported.toArray(new Claim[0]), StoreOperation.REFUND, when)
            .thenApply(answers -> seen);
  }

  /**
   * Updates the view from the answers of the shared store to a request that it decided.
   *
   * @param sent when the request was sent, by this node's clock
   */
  void update(Claim[] claims, ClaimOutcome[] answers, long sent) {
    for (int i = 0; i < claims.length; i++) {
      if (!answers[i].degraded()) {
        storeClock.update(answers[i], sent);
        synchronized (locks.lockFor(claims[i].key())) {
          SyncedCounter counter =
              synchronizerFor(claims[i].limit()).counters().get(claims[i].key());
          if (counter == null) {
            view.reconcile(claims[i], answers[i], 0);
          } else {
            view.update(claims[i], answers[i], counter, sent);
          }
        }
      }
    }
  }

  /** The counters of all claims, created if necessary; null if there are too many. */
  private SyncedCounter @Nullable [] counters(Claim[] claims) {
    SyncedCounter[] countersOfClaims = new SyncedCounter[claims.length];
    for (int i = 0; i < claims.length; i++) {
      SyncedCounter counter = counter(synchronizerFor(claims[i].limit()), claims[i]);
      if (counter == null) {
        return null;
      }
      countersOfClaims[i] = counter;
    }
    return countersOfClaims;
  }

  private @Nullable SyncedCounter counter(CounterSynchronizer synchronizer, Claim claim) {
    SyncedCounter there = synchronizer.counters().get(claim.key());
    if (there != null || counters() >= maxCounters) {
      return there;
    }
    SyncedCounter created = new SyncedCounter(claim.limit(), claim.key());
    synchronizer.counters().put(claim.key(), created);
    return created;
  }

  private CounterSynchronizer synchronizerFor(Limit limit) {
    long syncMicros = limit.rule().consistency().syncInterval().toNanos() / 1000;
    return synchronizers.computeIfAbsent(
        syncMicros == 0 ? SPIKE_SYNC_INTERVAL_MICROS : syncMicros,
        interval -> new CounterSynchronizer(interval, shared, context));
  }

  /** The number of synced counters. */
  int counters() {
    int sum = 0;
    for (CounterSynchronizer synchronizer : synchronizers.values()) {
      sum += synchronizer.counters().size();
    }
    return sum;
  }

  /** The permits admitted here that are not reported to the shared store yet. */
  long unsyncedPermits() {
    long sum = 0;
    for (CounterSynchronizer synchronizer : synchronizers.values()) {
      for (SyncedCounter counter : synchronizer.counters().values()) {
        synchronized (locks.lockFor(counter.key)) {
          sum += counter.unreportedPermits();
        }
      }
    }
    return sum;
  }

  /** By how many microseconds the sync is later than its interval. */
  long lagMicros() {
    return synchronizers.values().stream()
        .mapToLong(CounterSynchronizer::lagMicros)
        .max()
        .orElse(0);
  }

  @Override
  public Fingerprint fingerprint() {
    return shared.fingerprint();
  }

  /** Reports all unreported usage and stops the sync; completes when the store has answered. */
  CompletableFuture<Void> reportAll() {
    return CompletableFuture.allOf(
        synchronizers.values().stream()
            .map(CounterSynchronizer::close)
            .toArray(CompletableFuture<?>[]::new));
  }
}
