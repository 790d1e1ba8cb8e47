package io.weir.client;

import io.weir.Decision;
import io.weir.Reservation;
import io.weir.Reservation.State;
import io.weir.client.DecisionServiceClient.ServiceRequest;
import io.weir.internal.JsonReader;
import io.weir.internal.rule.Claim;
import io.weir.store.Clock;
import io.weir.store.StoreOperation;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The open reservations of a limiter at the decision service. Reservations that are never settled
 * are released by the service when they expire. Thread-safe.
 */
final class RemoteReservations {
  private final DecisionServiceClient service;
  private final Clock clock;
  private final AtomicLong nextNumber = new AtomicLong();
  private final ConcurrentSkipListSet<RemoteReservation> open =
      new ConcurrentSkipListSet<>(
          Comparator.comparingLong((RemoteReservation held) -> held.expiryMicros)
              .thenComparing(held -> held.number));

  RemoteReservations(DecisionServiceClient service, Clock clock) {
    this.service = service;
    this.clock = clock;
  }

  /**
   * Registers a reservation.
   *
   * @param id the id to settle it by; null if nothing is reserved
   */
  Reservation register(Decision decision, @Nullable String id, Duration ttl) {
    long now = clock.micros();
    while (!open.isEmpty() && open.first().expiryMicros <= now) {
      open.pollFirst();
    }
    RemoteReservation held =
        new RemoteReservation(
            decision, id, now + ttl.toNanos() / 1000, nextNumber.getAndIncrement());
    if (id != null) {
      open.add(held);
    }
    return held;
  }

  /** Releases all open reservations and waits for the service, for at most the given time. */
  void close(Duration timeout) {
    CompletableFuture.allOf(
            open.stream().map(RemoteReservation::cancel).toArray(CompletableFuture<?>[]::new))
        .completeOnTimeout(null, timeout.toMillis(), TimeUnit.MILLISECONDS)
        .join();
  }

  /**
   * Returns the state of a reservation as reported by the service; empty if it is unknown there.
   */
  private static Optional<State> parseState(HttpResponse<String> response) {
    if (response.statusCode() != 200) {
      return Optional.empty();
    }
    Object settled = JsonReader.readObject(response.body()).get("settled");
    return Optional.of(
        Boolean.TRUE.equals(settled)
            ? State.SETTLED
            : "pending".equals(settled) ? State.PENDING : State.UNCONFIRMED);
  }

  /** A reservation at the service. */
  private final class RemoteReservation implements Reservation {
    private final Decision decision;
    private final @Nullable String id;
    private final long expiryMicros;
    private final long number;
    private final AtomicBoolean settled = new AtomicBoolean();
    private volatile State state;

    RemoteReservation(Decision decision, @Nullable String id, long expiry, long number) {
      this.decision = decision;
      this.id = id;
      this.expiryMicros = expiry;
      this.number = number;
      state = id == null ? State.SETTLED : State.OPEN;
    }

    @Override
    public Decision decision() {
      return decision;
    }

    @Override
    public CompletableFuture<Boolean> commit(long cost) {
      Claim.checkActualCost(cost);
      if (id == null || !settled.compareAndSet(false, true)) {
        return CompletableFuture.completedFuture(false);
      }
      open.remove(this);
      state = State.UNCONFIRMED;
      String path = "/v1/reservations/" + id;
      ServiceRequest call =
          cost == 0
              ? new ServiceRequest("DELETE", path, "", StoreOperation.REFUND)
              : new ServiceRequest(
                  "POST", path + "/commit", "{\"cost\":" + cost + "}", StoreOperation.FORCE);
      return service
          .call(call, RemoteReservations::parseState)
          .thenApply(
              answer -> {
                state = answer.map(found -> found.orElse(State.SETTLED)).orElse(State.UNCONFIRMED);
                return answer.flatMap(found -> found).isPresent();
              });
    }

    @Override
    public State state() {
      return state;
    }
  }
}
