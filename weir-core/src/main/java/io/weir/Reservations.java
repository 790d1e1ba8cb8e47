package io.weir;

import io.weir.rule.Claim;
import io.weir.store.Clock;
import io.weir.store.Mode;
import io.weir.store.Outcome;
import io.weir.store.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The reservations this node has open. Those whose time is up are cancelled before the next request
 * is decided, or by a timer where none comes. Safe for any number of threads.
 */
final class Reservations {
  private static final long NONE = Long.MAX_VALUE;
  private static final int AT_ONCE = 250;

  private final Store store;
  private final Clock clock;
  private final TreeSet<Held> open =
      new TreeSet<>(
          Comparator.comparingLong((Held held) -> held.expiry).thenComparing(held -> held.number));
  private long opened;
  private volatile long nextExpiry = NONE;
  private long timerSetFor = NONE;
  private boolean closed;

  Reservations(Store store, Clock clock) {
    this.store = store;
    this.clock = clock;
  }

  Reservation open(Decision decision, Duration ttl) {
    long expiry = clock.micros() + ttl.toNanos() / 1000;
    Held held;
    synchronized (open) {
      held = new Held(decision, expiry, opened++);
      if (decision.allowed() && !closed) {
        open.add(held);
        lookAhead();
        return held;
      }
    }
    if (decision.allowed()) {
      var unused = held.cancel();
    }
    held.settled.set(true);
    return held;
  }

  /** Cancels all that is open and waits for the store, no longer than said. */
  void close(Duration most) {
    List<Held> all;
    synchronized (open) {
      closed = true;
      all = new ArrayList<>(open);
      open.clear();
      lookAhead();
    }
    cancel(all, 0).completeOnTimeout(null, most.toMillis(), TimeUnit.MILLISECONDS).join();
  }

  /** Cancels a few at a time: of more, a store might turn some away. */
  private static CompletableFuture<Void> cancel(List<Held> all, int from) {
    if (from >= all.size()) {
      return CompletableFuture.completedFuture(null);
    }
    int to = Math.min(all.size(), from + AT_ONCE);
    return CompletableFuture.allOf(
            all.subList(from, to).stream().map(Held::cancel).toArray(CompletableFuture<?>[]::new))
        .thenCompose(done -> cancel(all, to));
  }

  /** Cancels what is overdue; a mere read where nothing is open. */
  void expire() {
    if (nextExpiry == NONE || clock.micros() < nextExpiry) {
      return;
    }
    List<Held> overdue = new ArrayList<>();
    synchronized (open) {
      long now = clock.micros();
      while (!open.isEmpty() && open.first().expiry <= now) {
        Held first = open.first();
        open.remove(first);
        overdue.add(first);
      }
      lookAhead();
    }
    for (Held held : overdue) {
      var unused = held.cancel();
    }
  }

  /** Notes what expires next, and sets a timer unless one will ring by then. */
  private void lookAhead() {
    nextExpiry = open.isEmpty() ? NONE : open.first().expiry;
    if (nextExpiry < timerSetFor) {
      timerSetFor = nextExpiry;
      long micros = Math.max(1, nextExpiry - clock.micros());
      CompletableFuture.delayedExecutor(micros, TimeUnit.MICROSECONDS).execute(this::ring);
    }
  }

  private void ring() {
    expire();
    synchronized (open) {
      timerSetFor = NONE;
      lookAhead();
    }
  }

  /** One reservation. */
  private final class Held implements Reservation {
    private final Decision decision;
    private final long expiry;
    private final long number;
    private final AtomicBoolean settled = new AtomicBoolean();

    Held(Decision decision, long expiry, long number) {
      this.decision = decision;
      this.expiry = expiry;
      this.number = number;
    }

    @Override
    public Decision decision() {
      return decision;
    }

    @Override
    public CompletableFuture<Boolean> commit(long cost) {
      Claim.checkTrueCost(cost);
      if (!settled.compareAndSet(false, true)) {
        return CompletableFuture.completedFuture(false);
      }
      synchronized (open) {
        open.remove(this);
        lookAhead();
      }
      return settle(cost);
    }

    /** Charges or gives back the difference on every claim that was charged. */
    private CompletableFuture<Boolean> settle(long cost) {
      List<Claim> claims = new ArrayList<>();
      long change = 0;
      long chargedAt = 0;
      for (int i = 0; i < decision.claims().length; i++) {
        Claim claim = decision.claims()[i];
        Outcome outcome = decision.outcomes()[i];
        change = cost - claim.cost();
        if (outcome.fits() && !outcome.degraded() && change != 0) {
          chargedAt = outcome.time();
          claims.add(new Claim(claim.limit(), claim.key(), Math.abs(change)));
        }
      }
      Claim[] all = claims.toArray(new Claim[0]);
      return (change < 0 ? store.take(all, Mode.REFUND, chargedAt) : store.take(all, Mode.FORCE))
          .thenApply(outcomes -> true);
    }
  }
}
