package io.weir.client;

import io.weir.Decision;
import io.weir.Limiter;
import io.weir.Request;
import io.weir.Reservation;
import io.weir.client.DecisionReader.DecisionResponse;
import io.weir.client.DecisionServiceClient.ServiceRequest;
import io.weir.internal.JsonText;
import io.weir.internal.decision.EvaluatedDecision;
import io.weir.internal.rule.Claim;
import io.weir.internal.store.ClaimOutcome;
import io.weir.store.Clock;
import io.weir.store.StoreOperation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/**
 * A limiter that calls the decision API of a Weir server, and uses a fallback if the server does
 * not answer in time. Thread-safe and non-blocking.
 *
 * <p>The rules are those of the server. Operations that the decision API does not support throw an
 * {@code UnsupportedOperationException}: charging past a limit, refunding without a reservation,
 * peeking at several requests together, and requests with their own limit. Several requests that
 * are decided together are reserved one after the other, and refunded unless all are admitted.
 */
public final class RemoteLimiter implements Limiter {
  private static final Duration BATCH_RESERVATION_TTL = Duration.ofSeconds(10);
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

  private final DecisionServiceClient service;
  private final Limiter fallback;
  private final DecisionReader reader;
  private final RemoteReservations reservations;

  RemoteLimiter(DecisionServiceClient service, Limiter fallback, Clock clock) {
    this.service = service;
    this.fallback = fallback;
    reader = new DecisionReader(clock);
    reservations = new RemoteReservations(service, clock);
  }

  /**
   * Returns a builder of a limiter for a server.
   *
   * @param url the URL of the server, such as {@code http://127.0.0.1:8080}
   */
  public static RemoteLimiterBuilder at(String url) {
    return new RemoteLimiterBuilder(url);
  }

  /** Returns whether the server is available, that is, its circuit breaker is closed. */
  public boolean available() {
    return service.available();
  }

  @Override
  public CompletableFuture<Decision> execute(Request request, StoreOperation mode) {
    String path =
        switch (mode) {
          case TAKE -> "/v1/check";
          case PEEK -> "/v1/peek";
          case FORCE -> throw unsupported("charge past a limit", "reserve and commit");
          case LEASE -> throw unsupported("lease permits", "request what is needed");
          case REFUND -> throw unsupported("refund a decision", "reserve and commit");
        };
    return send(path, mode, request, "")
        .thenCompose(
            answer ->
                answer
                    .map(a -> CompletableFuture.completedFuture(a.decision()))
                    .orElseGet(
                        () -> fallback.execute(request, mode).thenApply(this::markDegraded)));
  }

  /** Does nothing: the rules are known to the server only, and its decisions do not name them. */
  @Override
  public CompletableFuture<Boolean> complete(Decision decision, int status) {
    return CompletableFuture.completedFuture(true);
  }

  @Override
  public CompletableFuture<Limiter.Permit> acquireAsync(Request request) {
    return send("/v1/acquire", StoreOperation.TAKE, request, "")
        .thenCompose(
            answer ->
                answer
                    .<Limiter.Permit>map(a -> new RemotePermit(a.decision(), a.permitId(), service))
                    .map(CompletableFuture::completedFuture)
                    .orElseGet(
                        () ->
                            fallback
                                .acquireAsync(request)
                                .thenApply(
                                    p -> new DegradedPermit(markDegraded(p.decision()), p))));
  }

  /** A permit of the fallback limiter, acquired while the service did not answer. */
  private record DegradedPermit(Decision decision, Limiter.Permit permit) implements Permit {
    @Override
    public boolean isHeld() {
      return permit.isHeld();
    }

    @Override
    public boolean release() {
      return permit.release();
    }
  }

  @Override
  public CompletableFuture<Boolean> refund(Decision decision) {
    throw unsupported("refund a decision", "reserve and commit");
  }

  @Override
  public CompletableFuture<Reservation> reserve(Request request, Duration ttl) {
    if (ttl.toMillis() < 1 || ttl.compareTo(Duration.ofDays(1)) > 0) {
      throw new IllegalArgumentException(
          "reservation ttl must be between 1ms and 1d (was " + ttl + ")");
    }
    return send("/v1/reserve", StoreOperation.TAKE, request, ",\"ttl_ms\":" + ttl.toMillis())
        .thenCompose(
            answer ->
                answer
                    .map(a -> reservations.register(a.decision(), a.reservationId(), ttl))
                    .map(CompletableFuture::completedFuture)
                    .orElseGet(
                        () -> fallback.reserve(request, ttl).thenApply(DegradedReservation::new)));
  }

  @Override
  public CompletableFuture<List<Decision>> executeAll(List<Request> requests, StoreOperation mode) {
    if (requests.size() == 1) {
      return execute(requests.get(0), mode).thenApply(List::of);
    }
    if (mode != StoreOperation.TAKE) {
      throw unsupported("peek at several requests together", "peek at each");
    }
    List<Request> batch = List.copyOf(requests);
    return reserveAll(batch, new ArrayList<>()).thenCompose(held -> settleAll(batch, held));
  }

  /** Reserves the requests one after the other, so that each decision includes those before it. */
  private CompletableFuture<List<Reservation>> reserveAll(
      List<Request> requests, List<Reservation> held) {
    return held.size() == requests.size()
        ? CompletableFuture.completedFuture(held)
        : reserve(requests.get(held.size()), BATCH_RESERVATION_TTL)
            .thenCompose(
                one -> {
                  held.add(one);
                  return reserveAll(requests, held);
                });
  }

  private static CompletableFuture<List<Decision>> settleAll(
      List<Request> requests, List<Reservation> held) {
    List<Decision> decisions = held.stream().map(Reservation::decision).toList();
    boolean all = decisions.stream().allMatch(Decision::allowed);
    return CompletableFuture.allOf(
            IntStream.range(0, held.size())
                .mapToObj(i -> held.get(i).commit(all ? requests.get(i).cost() : 0))
                .toArray(CompletableFuture<?>[]::new))
        .thenApply(settled -> decisions);
  }

  private CompletableFuture<Optional<DecisionResponse>> send(
      String path, StoreOperation mode, Request request, String more) {
    if (request.limit() != null) {
      throw unsupported("apply the limit of a request", "use a rule");
    }
    StringBuilder body = new StringBuilder(128).append("{\"attributes\":{");
    String separator = "";
    for (Map.Entry<String, String> attribute : request.attributes().entrySet()) {
      JsonText.quote(body.append(separator), attribute.getKey()).append(':');
      JsonText.quote(body, attribute.getValue());
      separator = ",";
    }
    body.append("},\"cost\":").append(request.cost()).append(more).append('}');
    return service.call(
        new ServiceRequest("POST", path, body.toString(), mode),
        r -> reader.read(r, request.cost()));
  }

  /** Returns a copy that is marked as decided by a fallback. */
  private Decision markDegraded(Decision decision) {
    EvaluatedDecision evaluated = EvaluatedDecision.of(decision);
    List<Claim> claims =
        IntStream.range(0, evaluated.claimCount()).mapToObj(evaluated::claim).toList();
    List<ClaimOutcome> outcomes =
        IntStream.range(0, evaluated.claimCount())
            .mapToObj(evaluated::outcome)
            .map(
                o ->
                    new ClaimOutcome(
                        o.admitted(), true, o.remaining(), o.reset(), o.delayOrWait(), o.time()))
            .toList();
    return EvaluatedDecision.of(claims, outcomes, decision.revision());
  }

  private static UnsupportedOperationException unsupported(String operation, String alternative) {
    return new UnsupportedOperationException(
        "the decision service cannot " + operation + "; " + alternative + " instead");
  }

  /** Releases open reservations. The fallback limiter is not closed; its creator must close it. */
  @Override
  public void close() {
    reservations.close(CLOSE_TIMEOUT);
  }

  /** A reservation of the fallback limiter, made while the service did not answer. */
  private final class DegradedReservation implements Reservation {
    private final Reservation reservation;
    private final Decision decision;

    DegradedReservation(Reservation held) {
      this.reservation = held;
      decision = markDegraded(held.decision());
    }

    @Override
    public Decision decision() {
      return decision;
    }

    @Override
    public CompletableFuture<Boolean> commit(long cost) {
      return reservation.commit(cost);
    }

    @Override
    public State state() {
      return reservation.state();
    }
  }
}
