package io.weir.client;

import io.weir.Decision;
import io.weir.Limiter;
import io.weir.Request;
import io.weir.Reservation;
import io.weir.rule.Claim;
import io.weir.rule.Rule;
import io.weir.store.Clock;
import io.weir.store.Mode;
import io.weir.store.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Admits everything, or refuses everything for a second, and counts nothing. */
final class PostureLimiter implements Limiter {
  private static final String ID = "decision-service";
  private static final Clock CLOCK = Clock.wall();

  /** Its rule is a shadow: callers are told of no limit, since none is known. */
  static final Limiter OPEN = new PostureLimiter(true);

  static final Limiter CLOSED = new PostureLimiter(false);

  private final boolean fits;
  private final Rule rule;

  private PostureLimiter(boolean fits) {
    this.fits = fits;
    rule = Rule.named(ID).limit("1/second").shadow(fits).build();
  }

  @Override
  public CompletableFuture<Decision> ask(Request request, Mode mode) {
    return CompletableFuture.completedFuture(answer(request));
  }

  private Decision answer(Request request) {
    Claim claim = new Claim(rule.limits().get(0), 0, request.cost());
    return Decision.of(List.of(claim), List.of(Outcome.degraded(fits, CLOCK.micros())), 0);
  }

  @Override
  public CompletableFuture<List<Decision>> askAll(List<Request> requests, Mode mode) {
    return CompletableFuture.completedFuture(requests.stream().map(this::answer).toList());
  }

  /** Nothing was charged. */
  @Override
  public CompletableFuture<Boolean> refund(Decision decision) {
    return CompletableFuture.completedFuture(true);
  }

  @Override
  public CompletableFuture<Reservation> reserve(Request request, Duration ttl) {
    return CompletableFuture.completedFuture(new Nothing(answer(request)));
  }

  /** A reservation that holds nothing. */
  private record Nothing(Decision decision) implements Reservation {
    @Override
    public CompletableFuture<Boolean> commit(long cost) {
      return CompletableFuture.completedFuture(false);
    }

    @Override
    public State state() {
      return State.SETTLED;
    }
  }
}
