package io.weir.store.nodes;

import io.weir.rule.Claim;
import io.weir.rule.Fingerprint;
import io.weir.store.Alarm;
import io.weir.store.Clock;
import io.weir.store.Mode;
import io.weir.store.Outcome;
import io.weir.store.Store;
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
  private static final int SIZE = 1 << 14;
  private static final long LOOK_EVERY = Account.LIFE / 5;

  /** How long a loan may take that is asked for when a moment is over. */
  private static final long GRACE = 2_000;

  private final Store shared;
  private final Clock clock;
  private final Alarm alarm;
  private final Refusals refusals;
  private final AtomicReferenceArray<@Nullable Account> accounts = new AtomicReferenceArray<>(SIZE);
  private final Set<Account> borrowing = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean looking = new AtomicBoolean();
  private volatile boolean closed;

  LeasedStore(Store shared, Clock clock, Alarm alarm) {
    this.shared = shared;
    this.clock = clock;
    this.alarm = alarm;
    refusals = new Refusals(clock);
  }

  @Override
  public CompletableFuture<Outcome[]> take(Claim[] claims, Mode mode, long when) {
    if (mode == Mode.TAKE) {
      return take(claims);
    }
    if (mode == Mode.PEEK) {
      return shared.take(claims, mode).thenApply(outcomes -> withLeases(claims, outcomes));
    }
    if (mode == Mode.REFUND) {
      refusals.forget(claims);
      for (Claim claim : claims) {
        endLeases(claim);
      }
    }
    return shared.take(claims, mode, when);
  }

  private CompletableFuture<Outcome[]> take(Claim[] claims) {
    long now = clock.micros();
    @Nullable Account[] theirs = new Account[claims.length];
    Outcome[] outcomes = new Outcome[claims.length];
    boolean covered = true;
    for (int i = 0; i < claims.length; i++) {
      Account account = account(claims[i], now);
      theirs[i] = account;
      Outcome spent = account == null ? null : account.spend(claims[i].cost(), now);
      covered &= spent != null;
      outcomes[i] = spent == null ? Outcome.degraded(false, now) : spent;
    }
    if (covered) {
      borrow(theirs, now);
      return CompletableFuture.completedFuture(outcomes);
    }
    for (int i = 0; i < claims.length; i++) {
      Account account = theirs[i];
      if (account != null && outcomes[i].fits()) {
        account.putBack(claims[i].cost(), outcomes[i].time());
      }
    }
    Outcome[] known = refusals.recall(claims);
    if (known != null) {
      return CompletableFuture.completedFuture(known);
    }
    CompletableFuture<Outcome[]> answer = shared.take(claims, Mode.TAKE);
    borrow(theirs, now);
    return answer.thenApply(
        said -> {
          learn(claims, theirs, said, now);
          return said;
        });
  }

  /** Takes in what the store said; a busy counter that has run dry is left alone for a moment. */
  private void learn(Claim[] claims, @Nullable Account[] theirs, Outcome[] said, long sent) {
    for (int i = 0; i < claims.length; i++) {
      Account account = theirs[i];
      if (account != null && account.heard(said[i], sent) && !claims[i].limit().shadow()) {
        account.leaveAlone(
            () -> refusals.remember(claims, said, clock.micros(), account.dryFor() + GRACE));
        borrowLater(account);
      }
    }
  }

  /** Borrows for the counters that have need of it. */
  private void borrow(@Nullable Account[] theirs, long now) {
    for (Account account : theirs) {
      if (account != null) {
        borrow(account, now);
      }
    }
  }

  private void borrow(Account account, long now) {
    long want = closed ? 0 : account.want(now);
    if (want > 0) {
      Claim[] wish = {new Claim(account.limit, account.key, want)};
      var unused =
          shared
              .take(wish, Mode.LEASE)
              .thenAccept(
                  said -> {
                    if (account.lent(said[0], want, now)) {
                      borrowing.add(account);
                      look();
                    }
                    if (account.isDry(now)) {
                      borrowLater(account);
                    }
                  });
    }
  }

  /** Borrows again when a counter that has run dry has gathered some permits. */
  private void borrowLater(Account account) {
    long wait = account.waits(clock.micros());
    if (wait > 0) {
      alarm.after(
          wait,
          () -> {
            account.waited();
            borrow(account, clock.micros());
          });
    }
  }

  /** Looks after the leases now and then, for as long as there are any. */
  private void look() {
    if (!borrowing.isEmpty() && looking.compareAndSet(false, true)) {
      alarm.after(
          LOOK_EVERY,
          () -> {
            looking.set(false);
            long now = clock.micros();
            for (Account account : borrowing) {
              var unused = giveBack(account, account.ended(now));
            }
            borrowing.removeIf(Account::isIdle);
            look();
          });
    }
  }

  private CompletableFuture<Void> giveBack(Account account, List<Lease> ended) {
    List<CompletableFuture<?>> answers = new ArrayList<>();
    for (Lease lease : ended) {
      long rest = lease.end(clock.micros());
      if (lease.redated() > 0) {
        answers.add(redate(account, lease));
      } else if (rest > 0) {
        answers.add(refund(account, rest, lease));
      }
    }
    return CompletableFuture.allOf(answers.toArray(new CompletableFuture<?>[0]));
  }

  private CompletableFuture<Outcome[]> refund(Account account, long permits, Lease lease) {
    Claim[] back = {new Claim(account.limit, account.key, permits)};
    return shared.take(back, Mode.REFUND, lease.chargedAt(permits));
  }

  /**
   * Charges what was spent of a lease as of the last spending, and gives the lease back. In this
   * order, so that it counts twice for a moment and never not at all.
   */
  private CompletableFuture<Outcome[]> redate(Account account, Lease lease) {
    Claim[] spent = {new Claim(account.limit, account.key, lease.redated())};
    return shared
        .take(spent, Mode.FORCE, lease.redatedTo())
        .thenCompose(
            said -> {
              if (!said[0].degraded()) {
                return refund(account, lease.given(), lease);
              }
              if (!closed && !lease.isForgotten(clock.micros())) {
                alarm.after(
                    Account.LIFE,
                    () -> {
                      var unused = redate(account, lease);
                    });
              }
              return CompletableFuture.completedFuture(said);
            });
  }

  /**
   * The account of a claim's counter, new if need be; null if its place is taken by a busier one.
   */
  private @Nullable Account account(Claim claim, long now) {
    int slot = slot(claim);
    Account there = accounts.get(slot);
    if (there != null && there.key == claim.key() && there.limit == claim.limit()) {
      return there;
    }
    if (there != null && there.key != claim.key() && there.isBusy(now)) {
      return null;
    }
    Account made = new Account(claim.limit(), claim.key(), now);
    if (!accounts.compareAndSet(slot, there, made)) {
      return null; // another thread has taken the place; that one's next request finds it
    }
    return made;
  }

  private Outcome[] withLeases(Claim[] claims, Outcome[] said) {
    long now = clock.micros();
    Outcome[] outcomes = said.clone();
    for (int i = 0; i < claims.length; i++) {
      Account account = existing(claims[i]);
      long held = account == null ? 0 : account.held(now);
      Outcome o = said[i];
      if (held > 0 && !o.degraded()) {
        boolean fits = o.fits() || o.remaining() + held >= claims[i].cost();
        long pause = fits == o.fits() ? o.pause() : 0;
        outcomes[i] = new Outcome(fits, false, o.remaining() + held, o.reset(), pause, o.time());
      }
    }
    return outcomes;
  }

  /** Ends what was borrowed of a counter of which something is given back. */
  private void endLeases(Claim claim) {
    Account account = existing(claim);
    if (account != null) {
      var unused = giveBack(account, account.endAll());
    }
  }

  private @Nullable Account existing(Claim claim) {
    Account there = accounts.get(slot(claim));
    return there != null && there.key == claim.key() ? there : null;
  }

  private static int slot(Claim claim) {
    return (int) ((claim.key() * 0x9E3779B97F4A7C15L) >>> 50);
  }

  /** Permits that are borrowed and not spent. */
  long held() {
    long now = clock.micros();
    return borrowing.stream().mapToLong(account -> account.held(now)).sum();
  }

  @Override
  public Fingerprint fingerprint() {
    return shared.fingerprint();
  }

  /** Gives back all that is borrowed, and borrows no more; done when the store has answered. */
  CompletableFuture<Void> giveAllBack() {
    closed = true;
    List<CompletableFuture<?>> answers = new ArrayList<>();
    borrowing.forEach(account -> answers.add(giveBack(account, account.endAll())));
    borrowing.clear();
    return CompletableFuture.allOf(answers.toArray(new CompletableFuture<?>[0]));
  }
}
