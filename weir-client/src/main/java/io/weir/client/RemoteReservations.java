package io.weir.client;

import io.weir.Decision;
import io.weir.Reservation;
import io.weir.Reservation.State;
import io.weir.client.Service.Call;
import io.weir.rule.Claim;
import io.weir.store.Clock;
import io.weir.store.Mode;
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
 * The reservations made through a limiter at the service and not settled yet. Those that are
 * forgotten the service gives back by itself. Safe for any number of threads.
 */
final class RemoteReservations {
  private final Service service;
  private final Clock clock;
  private final AtomicLong made = new AtomicLong();
  private final ConcurrentSkipListSet<Held> open =
      new ConcurrentSkipListSet<>(
          Comparator.comparingLong((Held held) -> held.expiry).thenComparing(held -> held.number));

  RemoteReservations(Service service, Clock clock) {
    this.service = service;
    this.clock = clock;
  }

  /**
   * @param id by which it is settled; null if nothing is held
   */
  Reservation of(Decision decision, @Nullable String id, Duration ttl) {
    long now = clock.micros();
    while (!open.isEmpty() && open.first().expiry <= now) {
      open.pollFirst();
    }
    Held held = new Held(decision, id, now + ttl.toNanos() / 1000, made.getAndIncrement());
    if (id != null) {
      open.add(held);
    }
    return held;
  }

  /** Gives back all that is open and waits for the service, no longer than said. */
  void close(Duration most) {
    CompletableFuture.allOf(open.stream().map(Held::cancel).toArray(CompletableFuture<?>[]::new))
        .completeOnTimeout(null, most.toMillis(), TimeUnit.MILLISECONDS)
        .join();
  }

  /** What the service said of a reservation it had open; empty if it had none. */
  private static Optional<State> settled(HttpResponse<String> response) {
    if (response.statusCode() != 200) {
      return Optional.empty();
    }
    Object settled = JsonReader.object(response.body()).get("settled");
    return Optional.of(
        Boolean.TRUE.equals(settled)
            ? State.SETTLED
            : "pending".equals(settled) ? State.PENDING : State.UNCONFIRMED);
  }

  /** One reservation. */
  private final class Held implements Reservation {
    private final Decision decision;
    private final @Nullable String id;
    private final long expiry;
    private final long number;
    private final AtomicBoolean settled = new AtomicBoolean();
    private volatile State state;

    Held(Decision decision, @Nullable String id, long expiry, long number) {
      this.decision = decision;
      this.id = id;
      this.expiry = expiry;
      this.number = number;
      state = id == null ? State.SETTLED : State.OPEN;
    }

    @Override
    public Decision decision() {
      return decision;
    }

    @Override
    public CompletableFuture<Boolean> commit(long cost) {
      Claim.checkTrueCost(cost);
      if (id == null || !settled.compareAndSet(false, true)) {
        return CompletableFuture.completedFuture(false);
      }
      open.remove(this);
      state = State.UNCONFIRMED;
      String path = "/v1/reservations/" + id;
      Call call =
          cost == 0
              ? new Call("DELETE", path, "", Mode.REFUND)
              : new Call("POST", path + "/commit", "{\"cost\":" + cost + "}", Mode.FORCE);
      return service
          .ask(call, RemoteReservations::settled)
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
