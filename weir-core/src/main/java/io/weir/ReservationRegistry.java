package io.weir;

import io.weir.internal.rule.Claim;
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
 * The open reservations of this node. Expired reservations are canceled before the next request is
 * decided, or by a timer if no request comes. Thread-safe.
 */
final class ReservationRegistry {
  private static final long NONE = Long.MAX_VALUE;
  private static final int MAX_BATCH_SIZE = 250;

  private final Settlements settlements;
  private final Clock clock;
  private final SingleTimer expiryTimer;
  private final TreeSet<DefaultReservation> open =
      new TreeSet<>(
          Comparator.comparingLong((DefaultReservation reservation) -> reservation.expiryMicros)
              .thenComparing(reservation -> reservation.sequenceNumber));
  private long nextSequenceNumber;
  private volatile long nextExpiryMicros = NONE;
  private boolean closed;

  ReservationRegistry(Settlements settlements, Clock clock, CancellableScheduler scheduler) {
    this.settlements = settlements;
    this.clock = clock;
    expiryTimer = new SingleTimer(clock, scheduler, this::onTimer);
  }

  Reservation open(Decision decision, Duration ttl) {
    long expiry = clock.micros() + ttl.toNanos() / 1000;
    DefaultReservation reservation;
    synchronized (open) {
      reservation = new DefaultReservation(decision, expiry, nextSequenceNumber++);
      if (decision.allowed() && !closed) {
        open.add(reservation);
        updateNextExpiry();
        return reservation;
      }
    }
    var unused = reservation.settle(0); // a refused request has charged nothing
    return reservation;
  }

  /** Cancels all open reservations; completes when the store has answered. */
  CompletableFuture<Void> close() {
    List<DefaultReservation> all;
    synchronized (open) {
      closed = true;
      all = new ArrayList<>(open);
      open.clear();
      updateNextExpiry();
    }
    expiryTimer.cancel();
    return cancel(all, 0);
  }

  /** Cancels in batches, because a store limits the number of requests in flight. */
  private static CompletableFuture<Void> cancel(List<DefaultReservation> all, int from) {
    if (from >= all.size()) {
      return CompletableFuture.completedFuture(null);
    }
    int to = Math.min(all.size(), from + MAX_BATCH_SIZE);
    return CompletableFuture.allOf(
            all.subList(from, to).stream()
                .map(DefaultReservation::cancel)
                .toArray(CompletableFuture<?>[]::new))
        .thenCompose(done -> cancel(all, to));
  }

  /** Cancels expired reservations; costs one volatile read if there are none. */
  void expire() {
    if (nextExpiryMicros == NONE || clock.micros() < nextExpiryMicros) {
      return;
    }
    List<DefaultReservation> overdue = new ArrayList<>();
    synchronized (open) {
      long now = clock.micros();
      while (!open.isEmpty() && open.first().expiryMicros <= now) {
        overdue.add(open.pollFirst());
      }
      updateNextExpiry();
    }
    for (DefaultReservation reservation : overdue) {
      var unused = reservation.cancel();
    }
  }

  /** Updates the next expiry and schedules the timer for it. */
  private void updateNextExpiry() {
    nextExpiryMicros = open.isEmpty() ? NONE : open.first().expiryMicros;
    expiryTimer.scheduleAt(nextExpiryMicros);
  }

  private void onTimer() {
    expire();
    synchronized (open) {
      updateNextExpiry();
    }
  }

  /** A reservation in this registry. */
  private final class DefaultReservation implements Reservation {
    private final Decision decision;
    private final long expiryMicros;
    private final long sequenceNumber;
    private final AtomicBoolean settled = new AtomicBoolean();
    private volatile Settlements.@Nullable Settlement settlement;

    DefaultReservation(Decision decision, long expiry, long number) {
      this.decision = decision;
      this.expiryMicros = expiry;
      this.sequenceNumber = number;
    }

    @Override
    public Decision decision() {
      return decision;
    }

    @Override
    public CompletableFuture<Boolean> commit(long cost) {
      Claim.checkActualCost(cost);
      if (settled.get()) {
        return CompletableFuture.completedFuture(false);
      }
      synchronized (open) {
        open.remove(this);
        updateNextExpiry();
      }
      return settle(cost);
    }

    private CompletableFuture<Boolean> settle(long cost) {
      if (!settled.compareAndSet(false, true)) {
        return CompletableFuture.completedFuture(false);
      }
      Settlements.Settlement current = settlements.settle(decision, cost);
      settlement = current;
      return current.attempted().thenApply(done -> true);
    }

    @Override
    public State state() {
      Settlements.Settlement current = settlement;
      if (current != null) {
        return current.state();
      }
      return settled.get() ? State.PENDING : State.OPEN;
    }
  }
}
