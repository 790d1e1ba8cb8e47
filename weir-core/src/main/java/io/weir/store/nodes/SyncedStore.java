package io.weir.store.nodes;

import io.weir.rule.Claim;
import io.weir.rule.Fingerprint;
import io.weir.rule.Limit;
import io.weir.store.ClaimOutcome;
import io.weir.store.Clock;
import io.weir.store.Scheduler;
import io.weir.store.Store;
import io.weir.store.StoreOperation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Counts in this node's memory, and every interval reports to the shared store what was admitted
 * and learns what is left.
 *
 * <p>The {@link SyncedView} of a counter decides while it is at most about an interval old. Of a
 * counter that is new here, or was not asked for during an interval, nothing is known of what other
 * nodes admitted meanwhile: the shared store decides such a request, and its answer corrects the
 * view. So together nodes admit at most what {@link OvershootBound} states.
 *
 * <p>While the store is away the view decides alone, whatever its age. What could not be reported
 * is kept and reported later, as of when it was used, so that it counts in its own window or, where
 * that is over, not at all. What was reported but not answered is reported again: rather twice than
 * never. Where no room is left to remember what is to be reported, the shared store decides, and
 * while it is away the rule's fallback. Safe for any number of threads.
 */
final class SyncedStore implements Store {
  /** How often exact rules reconcile what was decided here while the store was slow. */
  private static final long SPIKE_SYNC_INTERVAL_MICROS = 100_000;

  /** For how long a store that did not answer is not asked about the same counter again. */
  private static final long RETRY_MICROS = 100_000;

  private final Store shared;
  private final Clock clock;
  private final EstimatedStoreClock storeClock;
  private final SyncedView view;
  private final int maxCounters;
  private final CounterSynchronizer.SyncContext context;
  private final StripedLocks locks = new StripedLocks();
  private final Map<Long, CounterSynchronizer> synchronizers = new ConcurrentHashMap<>();

  /**
   * @param clock this node's
   * @param maxTallies how many counters may have something to report at once
   */
  SyncedStore(
      Store shared,
      Clock clock,
      EstimatedStoreClock time,
      Scheduler alarm,
      SyncedView view,
      int maxTallies) {
    this.shared = shared;
    this.clock = clock;
    this.storeClock = time;
    this.view = view;
    this.maxCounters = maxTallies;
    context = new CounterSynchronizer.SyncContext(clock, time, alarm, view, locks);
  }

  @Override
  public CompletableFuture<ClaimOutcome[]> apply(Claim[] claims, StoreOperation mode, long when) {
    if (mode == StoreOperation.REFUND) {
      return refund(claims, when);
    }
    ClaimOutcome[] known = locks.withLocks(claims, () -> decideIfFresh(claims, mode, when));
    return known == null
        ? decideInStore(claims, mode, when)
        : CompletableFuture.completedFuture(known);
  }

  /** Decides by what this node knows, however old that is; null if nothing can be remembered. */
  ClaimOutcome @Nullable [] decideLocally(Claim[] claims, StoreOperation mode, long when) {
    return locks.withLocks(
        claims,
        () -> {
          SyncedCounter[] theirs = counters(claims);
          return theirs == null ? null : decideByView(claims, theirs, mode, when);
        });
  }

  /** Decides by the view, unless it is too old; null if the shared store must be asked. */
  private ClaimOutcome @Nullable [] decideIfFresh(Claim[] claims, StoreOperation mode, long when) {
    long now = clock.micros();
    SyncedCounter[] theirs = new SyncedCounter[claims.length];
    for (int i = 0; i < claims.length; i++) {
      CounterSynchronizer round = synchronizerFor(claims[i].limit());
      SyncedCounter tally = round.counters().get(claims[i].key());
      if (tally == null || !tally.canDecideLocally(now, round.maxViewAgeMicros())) {
        return null;
      }
      long requested = tally.requestedPermits();
      if (requested > 0 && !view.canAdmit(claims[i], requested)) {
        return null; // it depends on what the store says to requests under way
      }
      theirs[i] = tally;
    }
    return decideByView(claims, theirs, mode, when);
  }

  private ClaimOutcome[] decideByView(
      Claim[] claims, SyncedCounter[] theirs, StoreOperation mode, long when) {
    ClaimOutcome[] outcomes = view.apply(claims, mode, when);
    boolean charged = ClaimPartition.isCharged(claims, mode, outcomes);
    for (int i = 0; i < claims.length; i++) {
      boolean counts = charged && (outcomes[i].admitted() || mode == StoreOperation.FORCE);
      long used = counts ? claims[i].cost() : 0;
      long dated = storeClock.hasEstimate() ? Math.min(when, outcomes[i].time()) : when;
      theirs[i].recordUsage(claims[i].limit(), used, dated);
    }
    return outcomes;
  }

  /** Has the shared store decide. */
  private CompletableFuture<ClaimOutcome[]> decideInStore(
      Claim[] claims, StoreOperation mode, long when) {
    SyncedCounter[] theirs = locks.withLocks(claims, () -> beginRequests(claims, mode));
    long sent = clock.micros();
    CompletableFuture<ClaimOutcome[]> answer = shared.apply(claims, mode, when);
    return theirs == null
        ? answer
        : answer.thenApply(
            said ->
                locks.withLocks(
                    claims,
                    () -> {
                      update(claims, theirs, mode, said, sent);
                      return resolve(claims, theirs, mode, when, said);
                    }));
  }

  private SyncedCounter @Nullable [] beginRequests(Claim[] claims, StoreOperation mode) {
    SyncedCounter[] theirs = counters(claims);
    for (int i = 0; theirs != null && i < claims.length; i++) {
      theirs[i].beginRequest(claims[i].limit(), requestedPermits(claims[i], mode));
    }
    return theirs;
  }

  private static long requestedPermits(Claim claim, StoreOperation mode) {
    return mode == StoreOperation.PEEK ? 0 : claim.cost();
  }

  private void update(
      Claim[] claims, SyncedCounter[] theirs, StoreOperation mode, ClaimOutcome[] said, long sent) {
    for (int i = 0; i < claims.length; i++) {
      theirs[i].endRequest(requestedPermits(claims[i], mode));
      storeClock.update(said[i], sent);
    }
    boolean charged = ClaimPartition.isCharged(claims, mode, said);
    for (int i = 0; i < claims.length; i++) {
      boolean known = !said[i].degraded();
      if (known
          && charged
          && (said[i].admitted() || mode == StoreOperation.FORCE)) { // dated as it is there
        view.apply(new Claim[] {claims[i]}, StoreOperation.FORCE, said[i].time());
      }
      if (known) {
        view.update(claims[i], said[i], theirs[i], sent);
      }
    }
  }

  /**
   * What to answer where the shared store was asked. If it did not answer, this node decides. If it
   * admitted what does not fit beside what this node has admitted by itself and not reported yet,
   * the request is refused after all.
   */
  private ClaimOutcome[] resolve(
      Claim[] claims, SyncedCounter[] theirs, StoreOperation mode, long when, ClaimOutcome[] said) {
    boolean admitted = mode == StoreOperation.TAKE && ClaimPartition.isAdmitted(claims, said);
    boolean degraded = false;
    boolean refused = false;
    boolean[] over = new boolean[claims.length];
    for (int i = 0; i < claims.length; i++) {
      if (said[i].degraded()) {
        degraded = true;
        theirs[i].allowLocalDecisionsUntil(clock.micros() + RETRY_MICROS);
      } else {
        over[i] =
            admitted && said[i].admitted() && said[i].remaining() < theirs[i].unconfirmedPermits();
        refused |= over[i] && !claims[i].limit().shadow();
      }
    }
    ClaimOutcome[] outcomes = said.clone();
    for (int i = 0; i < claims.length && admitted; i++) {
      boolean charged = said[i].admitted() && !said[i].degraded();
      if (charged && (degraded || refused || over[i])) {
        Claim[] claim = {claims[i]};
        var unused = shared.apply(claim, StoreOperation.REFUND, said[i].time());
        view.apply(claim, StoreOperation.REFUND, NOW);
        outcomes[i] = view.apply(claim, StoreOperation.PEEK, NOW)[0];
      }
    }
    return degraded ? decideByView(claims, theirs, mode, when) : outcomes;
  }

  /** Gives back what was not reported yet here alone, and only the rest in the shared store. */
  private CompletableFuture<ClaimOutcome[]> refund(Claim[] claims, long when) {
    List<Claim> told = new ArrayList<>();
    ClaimOutcome[] seen =
        locks.withLocks(
            claims,
            () -> {
              for (Claim claim : claims) {
                SyncedCounter tally = synchronizerFor(claim.limit()).counters().get(claim.key());
                long rest =
                    tally == null ? claim.cost() : tally.cancelUnreported(claim.cost(), when);
                if (rest > 0) {
                  told.add(new Claim(claim.limit(), claim.key(), rest));
                }
              }
              return view.apply(claims, StoreOperation.REFUND, when);
            });
    return told.isEmpty()
        ? CompletableFuture.completedFuture(seen)
        : shared
            .apply(told.toArray(new Claim[0]), StoreOperation.REFUND, when)
            .thenApply(said -> seen);
  }

  /**
   * Takes in what the shared store said of counters it decided on itself.
   *
   * @param sent when it was asked, by this node's clock
   */
  void update(Claim[] claims, ClaimOutcome[] said, long sent) {
    for (int i = 0; i < claims.length; i++) {
      if (!said[i].degraded()) {
        storeClock.update(said[i], sent);
        synchronized (locks.lockFor(claims[i].key())) {
          SyncedCounter tally = synchronizerFor(claims[i].limit()).counters().get(claims[i].key());
          if (tally == null) {
            view.reconcile(claims[i], said[i], 0);
          } else {
            view.update(claims[i], said[i], tally, sent);
          }
        }
      }
    }
  }

  /** The tallies of all claims, new where need be; null if there are too many. */
  private SyncedCounter @Nullable [] counters(Claim[] claims) {
    SyncedCounter[] theirs = new SyncedCounter[claims.length];
    for (int i = 0; i < claims.length; i++) {
      SyncedCounter tally = counter(synchronizerFor(claims[i].limit()), claims[i]);
      if (tally == null) {
        return null;
      }
      theirs[i] = tally;
    }
    return theirs;
  }

  private @Nullable SyncedCounter counter(CounterSynchronizer round, Claim claim) {
    SyncedCounter there = round.counters().get(claim.key());
    if (there != null || counters() >= maxCounters) {
      return there;
    }
    SyncedCounter made = new SyncedCounter(claim.limit(), claim.key());
    round.counters().put(claim.key(), made);
    return made;
  }

  private CounterSynchronizer synchronizerFor(Limit limit) {
    long every = limit.rule().consistency().syncInterval().toNanos() / 1000;
    return synchronizers.computeIfAbsent(
        every == 0 ? SPIKE_SYNC_INTERVAL_MICROS : every,
        interval -> new CounterSynchronizer(interval, shared, context));
  }

  /** How many counters are remembered. */
  int counters() {
    int sum = 0;
    for (CounterSynchronizer round : synchronizers.values()) {
      sum += round.counters().size();
    }
    return sum;
  }

  /** Permits admitted here that the shared store does not know of. */
  long unsyncedPermits() {
    long sum = 0;
    for (CounterSynchronizer round : synchronizers.values()) {
      for (SyncedCounter tally : round.counters().values()) {
        synchronized (locks.lockFor(tally.key)) {
          sum += tally.unreportedPermits();
        }
      }
    }
    return sum;
  }

  /** By how many microseconds reporting is behind its interval. */
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

  /** Reports all that is not reported yet, and no more after that; done when it is answered. */
  CompletableFuture<Void> reportAll() {
    return CompletableFuture.allOf(
        synchronizers.values().stream()
            .map(CounterSynchronizer::close)
            .toArray(CompletableFuture<?>[]::new));
  }
}
