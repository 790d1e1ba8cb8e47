package io.weir.store.nodes;

import io.weir.rule.Claim;
import io.weir.rule.Fingerprint;
import io.weir.store.ClaimOutcome;
import io.weir.store.Clock;
import io.weir.store.Scheduler;
import io.weir.store.Store;
import io.weir.store.StoreOperation;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Borrows blocks of permits of busy counters, charged in the shared store at once, and spends them
 * here, so that most decisions ask nobody.
 *
 * <p>What no lease covers is asked of the shared store as ever: the first requests of a caller, the
 * last before a limit, all while the store is away. So nothing is admitted that the store has not
 * charged by then, and a refusal is the store's. Only a busy counter that has run dry is left alone
 * for a moment, that it may gather permits; until more are lent this node refuses by itself.
 *
 * <p>Safe for any number of threads.
 */
final class LeasedStore implements Store {
  private static final int ACCOUNT_SLOTS = 1 << 14;
  private static final long LEASE_CHECK_INTERVAL_MICROS = LeaseAccount.LEASE_LIFE_MICROS / 5;

  /** How long a loan may take that is asked for when a moment is over. */
  private static final long LOAN_GRACE_MICROS = 2_000;

  private final Store shared;
  private final Clock clock;
  private final Scheduler scheduler;
  private final RefusalCache refusalCache;
  private final AtomicReferenceArray<@Nullable LeaseAccount> accounts =
      new AtomicReferenceArray<>(ACCOUNT_SLOTS);
  private final Set<LeaseAccount> borrowing = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean checkScheduled = new AtomicBoolean();
  private volatile boolean closed;

  LeasedStore(Store shared, Clock clock, Scheduler alarm) {
    this.shared = shared;
    this.clock = clock;
    this.scheduler = alarm;
    refusalCache = new RefusalCache(clock);
  }

  @Override
  public CompletableFuture<ClaimOutcome[]> apply(Claim[] claims, StoreOperation mode, long when) {
    if (mode == StoreOperation.TAKE) {
      return take(claims);
    }
    if (mode == StoreOperation.PEEK) {
      return shared.apply(claims, mode).thenApply(outcomes -> addLeasedPermits(claims, outcomes));
    }
    if (mode == StoreOperation.REFUND) {
      refusalCache.invalidate(claims);
      for (Claim claim : claims) {
        endLeases(claim);
      }
    }
    return shared.apply(claims, mode, when);
  }

  private CompletableFuture<ClaimOutcome[]> take(Claim[] claims) {
    long now = clock.micros();
    @Nullable LeaseAccount[] theirs = new LeaseAccount[claims.length];
    ClaimOutcome[] outcomes = new ClaimOutcome[claims.length];
    boolean covered = true;
    for (int i = 0; i < claims.length; i++) {
      LeaseAccount account = account(claims[i], now);
      theirs[i] = account;
      ClaimOutcome spent = account == null ? null : account.spend(claims[i].cost(), now);
      covered &= spent != null;
      outcomes[i] = spent == null ? ClaimOutcome.degraded(false, now) : spent;
    }
    if (covered) {
      borrow(theirs, now);
      return CompletableFuture.completedFuture(outcomes);
    }
    for (int i = 0; i < claims.length; i++) {
      LeaseAccount account = theirs[i];
      if (account != null && outcomes[i].admitted()) {
        account.putBack(claims[i].cost(), outcomes[i].time());
      }
    }
    ClaimOutcome[] known = refusalCache.get(claims);
    if (known != null) {
      return CompletableFuture.completedFuture(known);
    }
    CompletableFuture<ClaimOutcome[]> answer = shared.apply(claims, StoreOperation.TAKE);
    borrow(theirs, now);
    return answer.thenApply(
        said -> {
          learn(claims, theirs, said, now);
          return said;
        });
  }

  /** Takes in what the store said; a busy counter that has run dry is left alone for a moment. */
  private void learn(
      Claim[] claims, @Nullable LeaseAccount[] theirs, ClaimOutcome[] said, long sent) {
    for (int i = 0; i < claims.length; i++) {
      LeaseAccount account = theirs[i];
      if (account != null && account.recordAnswer(said[i], sent) && !claims[i].limit().shadow()) {
        account.whenExhausted(
            () ->
                refusalCache.put(
                    claims, said, clock.micros(), account.exhaustedPause() + LOAN_GRACE_MICROS));
        borrowLater(account);
      }
    }
  }

  /** Borrows for the counters that have need of it. */
  private void borrow(@Nullable LeaseAccount[] theirs, long now) {
    for (LeaseAccount account : theirs) {
      if (account != null) {
        borrow(account, now);
      }
    }
  }

  private void borrow(LeaseAccount account, long now) {
    long want = closed ? 0 : account.permitsToBorrow(now);
    if (want > 0) {
      Claim[] wish = {new Claim(account.limit, account.key, want)};
      var unused =
          shared
              .apply(wish, StoreOperation.LEASE)
              .thenAccept(
                  said -> {
                    if (account.recordLoan(said[0], want, now)) {
                      borrowing.add(account);
                      scheduleLeaseCheck();
                    }
                    if (account.isExhausted(now)) {
                      borrowLater(account);
                    }
                  });
    }
  }

  /** Borrows again when a counter that has run dry has gathered some permits. */
  private void borrowLater(LeaseAccount account) {
    long wait = account.scheduleRetry(clock.micros());
    if (wait > 0) {
      scheduler.schedule(
          wait,
          () -> {
            account.retryStarted();
            borrow(account, clock.micros());
          });
    }
  }

  /** Looks after the leases now and then, for as long as there are any. */
  private void scheduleLeaseCheck() {
    if (!borrowing.isEmpty() && checkScheduled.compareAndSet(false, true)) {
      scheduler.schedule(
          LEASE_CHECK_INTERVAL_MICROS,
          () -> {
            checkScheduled.set(false);
            long now = clock.micros();
            for (LeaseAccount account : borrowing) {
              var unused = returnLeases(account, account.removeEndedLeases(now));
            }
            borrowing.removeIf(LeaseAccount::isIdle);
            scheduleLeaseCheck();
          });
    }
  }

  private CompletableFuture<Void> returnLeases(LeaseAccount account, List<Lease> ended) {
    List<CompletableFuture<?>> answers = new ArrayList<>();
    for (Lease lease : ended) {
      long rest = lease.permitsToReturn(clock.micros());
      if (lease.permitsToRecharge() > 0) {
        answers.add(recharge(account, lease));
      } else if (rest > 0) {
        answers.add(refund(account, rest, lease));
      }
    }
    return CompletableFuture.allOf(answers.toArray(new CompletableFuture<?>[0]));
  }

  private CompletableFuture<ClaimOutcome[]> refund(
      LeaseAccount account, long permits, Lease lease) {
    Claim[] back = {new Claim(account.limit, account.key, permits)};
    return shared.apply(back, StoreOperation.REFUND, lease.chargedAt(permits));
  }

  /**
   * Charges what was spent of a lease as of the last spending, and gives the lease back. In this
   * order, so that it counts twice for a moment and never not at all.
   */
  private CompletableFuture<ClaimOutcome[]> recharge(LeaseAccount account, Lease lease) {
    Claim[] spent = {new Claim(account.limit, account.key, lease.permitsToRecharge())};
    return shared
        .apply(spent, StoreOperation.FORCE, lease.rechargeTime())
        .thenCompose(
            said -> {
              if (!said[0].degraded()) {
                return refund(account, lease.granted(), lease);
              }
              if (!closed && !lease.isForgotten(clock.micros())) {
                scheduler.schedule(
                    LeaseAccount.LEASE_LIFE_MICROS,
                    () -> {
                      var unused = recharge(account, lease);
                    });
              }
              return CompletableFuture.completedFuture(said);
            });
  }

  /**
   * The account of a claim's counter, new if need be; null if its place is taken by a busier one.
   */
  private @Nullable LeaseAccount account(Claim claim, long now) {
    int slot = slot(claim);
    LeaseAccount there = accounts.get(slot);
    if (there != null && there.key == claim.key() && there.limit == claim.limit()) {
      return there;
    }
    if (there != null && there.key != claim.key() && there.isBusy(now)) {
      return null;
    }
    LeaseAccount made = new LeaseAccount(claim.limit(), claim.key(), now);
    if (!accounts.compareAndSet(slot, there, made)) {
      return null; // another thread has taken the place; that one's next request finds it
    }
    return made;
  }

  private ClaimOutcome[] addLeasedPermits(Claim[] claims, ClaimOutcome[] said) {
    long now = clock.micros();
    ClaimOutcome[] outcomes = said.clone();
    for (int i = 0; i < claims.length; i++) {
      LeaseAccount account = existingAccount(claims[i]);
      long held = account == null ? 0 : account.unspentPermits(now);
      ClaimOutcome o = said[i];
      if (held > 0 && !o.degraded()) {
        boolean fits = o.admitted() || o.remaining() + held >= claims[i].cost();
        long pause = fits == o.admitted() ? o.delayOrWait() : 0;
        outcomes[i] =
            new ClaimOutcome(fits, false, o.remaining() + held, o.reset(), pause, o.time());
      }
    }
    return outcomes;
  }

  /** Ends what was borrowed of a counter of which something is given back. */
  private void endLeases(Claim claim) {
    LeaseAccount account = existingAccount(claim);
    if (account != null) {
      var unused = returnLeases(account, account.removeAllLeases());
    }
  }

  private @Nullable LeaseAccount existingAccount(Claim claim) {
    LeaseAccount there = accounts.get(slot(claim));
    return there != null && there.key == claim.key() ? there : null;
  }

  private static int slot(Claim claim) {
    return (int) ((claim.key() * 0x9E3779B97F4A7C15L) >>> 50);
  }

  /** Permits that are borrowed and not spent. */
  long leasedPermits() {
    long now = clock.micros();
    return borrowing.stream().mapToLong(account -> account.unspentPermits(now)).sum();
  }

  @Override
  public Fingerprint fingerprint() {
    return shared.fingerprint();
  }

  /** Gives back all that is borrowed, and borrows no more; done when the store has answered. */
  CompletableFuture<Void> returnAll() {
    closed = true;
    List<CompletableFuture<?>> answers = new ArrayList<>();
    borrowing.forEach(account -> answers.add(returnLeases(account, account.removeAllLeases())));
    borrowing.clear();
    return CompletableFuture.allOf(answers.toArray(new CompletableFuture<?>[0]));
  }
}
