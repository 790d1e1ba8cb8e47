package io.weir;

import io.weir.rule.Claim;
import io.weir.store.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The reservations this node has open. Those whose time is up are cancelled before the next request
 * is decided, or by a timer where none comes. Safe for any number of threads.
 */
final class Reservations {
  private static final long NONE = Long.MAX_VALUE;
  private static final int MAX_AT_ONCE = 250;

  private final Settlements settlements;
  private final Clock clock;
  private final SingleTimer timer;
  private final TreeSet<Held> open =
      new TreeSet<>(
          Comparator.comparingLong((Held held) -> held.expiry).thenComparing(held -> held.number));
  private long opened;
  private volatile long nextExpiry = NONE;
  private boolean closed;

  Reservations(Settlements settlements, Clock clock, Scheduler scheduler) {
    this.settlements = settlements;
    this.clock = clock;
    timer = new SingleTimer(clock, scheduler, this::ring);
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
    var unused = held.settle(0); // what was refused has charged nothing
    return held;
  }

  /** Cancels all that is open; done when the store has answered. */
  CompletableFuture<Void> close() {
    List<Held> all;
    synchronized (open) {
      closed = true;
      all = new ArrayList<>(open);
      open.clear();
      lookAhead();
    }
    timer.cancel();
    return cancel(all, 0);
  }

  /** Cancels a few at a time: of more, a store might turn some away. */
  private static CompletableFuture<Void> cancel(List<Held> all, int from) {
    if (from >= all.size()) {
      return CompletableFuture.completedFuture(null);
    }
    int to = Math.min(all.size(), from + MAX_AT_ONCE);
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
        overdue.add(open.pollFirst());
      }
      lookAhead();
    }
    for (Held held : overdue) {
      var unused = held.cancel();
    }
  }

  /** Notes what expires next, and has the timer ring by then. */
  private void lookAhead() {
    nextExpiry = open.isEmpty() ? NONE : open.first().expiry;
    timer.setFor(nextExpiry);
  }

  private void ring() {
    expire();
    synchronized (open) {
      lookAhead();
    }
  }

  /** One reservation. */
  private final class Held implements Reservation {
    private final Decision decision;
    private final long expiry;
    private final long number;
    private final AtomicBoolean settled = new AtomicBoolean();
    private volatile Settlements.@Nullable Settlement settlement;

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
      if (settled.get()) {
        return CompletableFuture.completedFuture(false);
      }
      synchronized (open) {
        open.remove(this);
        lookAhead();
      }
      return settle(cost);
    }

    private CompletableFuture<Boolean> settle(long cost) {
      if (!settled.compareAndSet(false, true)) {
        return CompletableFuture.completedFuture(false);
      }
      Settlements.Settlement begun = settlements.settle(decision, cost);
      settlement = begun;
      return begun.attempted().thenApply(done -> true);
    }

    @Override
    public State state() {
      Settlements.Settlement begun = settlement;
      if (begun != null) {
        return begun.state();
      }
      return settled.get() ? State.PENDING : State.OPEN;
    }
  }
}
