package io.weir.internal.store.nodes;

import io.weir.internal.rule.Claim;
import io.weir.internal.rule.Fingerprint;
import io.weir.internal.store.ClaimOutcome;
import io.weir.internal.store.ClaimStore;
import io.weir.internal.store.Scheduler;
import io.weir.store.Clock;
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
 * Leases blocks of permits of busy counters, which the shared store charges at once, and spends
 * them on this node, so that most decisions need no call.
 *
 * <p>The shared store decides what no lease covers: the first requests of a caller, the last ones
 * before a limit, and all of them while the store is unavailable. So no permit is admitted before
 * the store has charged it, and refusals come from the store. The exception is a busy counter that
 * is exhausted: to let permits accumulate, this node does not borrow for a short time and refuses
 * by itself until it has a lease again.
 *
 * <p>Safe for any number of threads.
 */
final class LeasedStore implements ClaimStore {
  private static final int ACCOUNT_SLOTS = 1 << 14;
  private static final long LEASE_CHECK_INTERVAL_MICROS = LeaseAccount.LEASE_LIFE_MICROS / 5;

  /** How long borrowing may take once the pause of an exhausted counter is over. */
  private static final long LOAN_GRACE_MICROS = 2_000;

  private final ClaimStore shared;
  private final Clock clock;
  private final Scheduler scheduler;
  private final RefusalCache refusalCache;
  private final AtomicReferenceArray<@Nullable LeaseAccount> accounts =
      new AtomicReferenceArray<>(ACCOUNT_SLOTS);
  private final Set<LeaseAccount> borrowing = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean checkScheduled = new AtomicBoolean();
  private volatile boolean closed;

  LeasedStore(ClaimStore shared, Clock clock, Scheduler scheduler) {
    this.shared = shared;
    this.clock = clock;
    this.scheduler = scheduler;
    refusalCache = new RefusalCache(clock);
  }

  @Override
  public CompletableFuture<ClaimOutcome[]> apply(
      Claim[] claims, StoreOperation operation, long when) {
    if (operation == StoreOperation.TAKE) {
      return take(claims);
    }
    if (operation == StoreOperation.PEEK) {
      return shared
          .apply(claims, operation)
          .thenApply(outcomes -> addLeasedPermits(claims, outcomes));
    }
    if (operation == StoreOperation.REFUND) {
      refusalCache.invalidate(claims);
      for (Claim claim : claims) {
        endLeases(claim);
      }
    }
    return shared.apply(claims, operation, when);
  }

  private CompletableFuture<ClaimOutcome[]> take(Claim[] claims) {
    long now = clock.micros();
    @Nullable LeaseAccount[] accountsOfClaims = new LeaseAccount[claims.length];
    ClaimOutcome[] outcomes = new ClaimOutcome[claims.length];
    boolean covered = true;
    for (int i = 0; i < claims.length; i++) {
      LeaseAccount account = account(claims[i], now);
      accountsOfClaims[i] = account;
      ClaimOutcome spent = account == null ? null : account.spend(claims[i].cost(), now);
      covered &= spent != null;
      outcomes[i] = spent == null ? ClaimOutcome.degraded(false, now) : spent;
    }
    if (covered) {
      borrow(accountsOfClaims, now);
      return CompletableFuture.completedFuture(outcomes);
    }
    for (int i = 0; i < claims.length; i++) {
      LeaseAccount account = accountsOfClaims[i];
      if (account != null && outcomes[i].admitted()) {
        account.putBack(claims[i].cost(), outcomes[i].time());
      }
    }
    ClaimOutcome[] known = refusalCache.get(claims);
    if (known != null) {
      return CompletableFuture.completedFuture(known);
    }
    CompletableFuture<ClaimOutcome[]> answer = shared.apply(claims, StoreOperation.TAKE);
    borrow(accountsOfClaims, now);
    return answer.thenApply(
        answers -> {
          learn(claims, accountsOfClaims, answers, now);
          return answers;
        });
  }

  /** Records the store's answers; for a busy and exhausted counter, pauses borrowing. */
  private void learn(
      Claim[] claims,
      @Nullable LeaseAccount[] accountsOfClaims,
      ClaimOutcome[] answers,
      long sent) {
    for (int i = 0; i < claims.length; i++) {
      LeaseAccount account = accountsOfClaims[i];
      if (account != null
          && account.recordAnswer(answers[i], sent)
          && !claims[i].limit().shadow()) {
        account.whenExhausted(
            () ->
                refusalCache.put(
                    claims, answers, clock.micros(), account.exhaustedPause() + LOAN_GRACE_MICROS));
        borrowLater(account);
      }
    }
  }

  /** Borrows permits for the counters that need them. */
  private void borrow(@Nullable LeaseAccount[] accountsOfClaims, long now) {
    for (LeaseAccount account : accountsOfClaims) {
      if (account != null) {
        borrow(account, now);
      }
    }
  }

  private void borrow(LeaseAccount account, long now) {
    long wanted = closed ? 0 : account.permitsToBorrow(now);
    if (wanted > 0) {
      Claim[] claim = {new Claim(account.limit, account.key, wanted)};
      var unused =
          shared
              .apply(claim, StoreOperation.LEASE)
              .thenAccept(
                  answers -> {
                    if (account.recordLoan(answers[0], wanted, now)) {
                      borrowing.add(account);
                      scheduleLeaseCheck();
                    }
                    if (account.isExhausted(now)) {
                      borrowLater(account);
                    }
                  });
    }
  }

  /** Borrows again when an exhausted counter has accumulated some permits. */
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

  /** Checks for ended leases periodically, as long as there are any. */
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
   * Charges the spent permits of a lease as of the last spending, then refunds the lease. In this
   * order, so that permits may count twice for a moment but are never left out.
   */
  private CompletableFuture<ClaimOutcome[]> recharge(LeaseAccount account, Lease lease) {
    Claim[] spent = {new Claim(account.limit, account.key, lease.permitsToRecharge())};
    return shared
        .apply(spent, StoreOperation.FORCE, lease.rechargeTime())
        .thenCompose(
            answers -> {
              if (!answers[0].degraded()) {
                return refund(account, lease.granted(), lease);
              }
              if (!closed && !lease.isForgotten(clock.micros())) {
                scheduler.schedule(
                    LeaseAccount.LEASE_LIFE_MICROS,
                    () -> {
                      var unused = recharge(account, lease);
                    });
              }
              return CompletableFuture.completedFuture(answers);
            });
  }

  /**
   * The account of a claim's counter, created if necessary; null if a busy counter has its slot.
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
    LeaseAccount created = new LeaseAccount(claim.limit(), claim.key(), now);
    if (!accounts.compareAndSet(slot, there, created)) {
      return null; // another thread was faster; the next request finds its account
    }
    return created;
  }

  private ClaimOutcome[] addLeasedPermits(Claim[] claims, ClaimOutcome[] answers) {
    long now = clock.micros();
    ClaimOutcome[] outcomes = answers.clone();
    for (int i = 0; i < claims.length; i++) {
      LeaseAccount account = existingAccount(claims[i]);
      long held = account == null ? 0 : account.unspentPermits(now);
      ClaimOutcome o = answers[i];
      if (held > 0 && !o.degraded()) {
        boolean admitted = o.admitted() || o.remaining() + held >= claims[i].cost();
        long delayOrWait = admitted == o.admitted() ? o.delayOrWait() : 0;
        long remaining = o.remaining() + held;
        outcomes[i] =
            new ClaimOutcome(admitted, false, remaining, o.reset(), delayOrWait, o.time());
      }
    }
    return outcomes;
  }

  /** Returns the leases of a counter that is refunded. */
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

  /** The leased permits that are not spent. */
  long leasedPermits() {
    long now = clock.micros();
    return borrowing.stream().mapToLong(account -> account.unspentPermits(now)).sum();
  }

  @Override
  public Fingerprint fingerprint() {
    return shared.fingerprint();
  }

  /** Returns all leases and stops borrowing; completes when the store has answered. */
  CompletableFuture<Void> returnAll() {
    closed = true;
    List<CompletableFuture<?>> answers = new ArrayList<>();
    borrowing.forEach(account -> answers.add(returnLeases(account, account.removeAllLeases())));
    borrowing.clear();
    return CompletableFuture.allOf(answers.toArray(new CompletableFuture<?>[0]));
  }
}
