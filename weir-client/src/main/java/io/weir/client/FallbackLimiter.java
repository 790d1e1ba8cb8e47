package io.weir.client;

import io.weir.Decision;
import io.weir.Limiter;
import io.weir.Request;
import io.weir.Reservation;
import io.weir.internal.decision.EvaluatedDecision;
import io.weir.internal.rule.Claim;
import io.weir.internal.rule.CompiledRule;
import io.weir.internal.store.ClaimOutcome;
import io.weir.rule.Rule;
import io.weir.store.Clock;
import io.weir.store.StoreOperation;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A limiter that admits or refuses every request, fail open or fail closed, without counting. */
final class FallbackLimiter implements Limiter {
  private static final String RULE_ID = "decision-service";
  private static final Clock CLOCK = Clock.wall();

  /** Its rule is a shadow rule, so that no limit is reported to callers: none is known. */
  static final Limiter OPEN = new FallbackLimiter(true);

  static final Limiter CLOSED = new FallbackLimiter(false);

  private final boolean admits;
  private final Rule rule;

  private FallbackLimiter(boolean admits) {
    this.admits = admits;
    rule = Rule.named(RULE_ID).limit("1/second").shadow(admits).build();
  }

  @Override
  public CompletableFuture<Decision> execute(Request request, StoreOperation mode) {
    return CompletableFuture.completedFuture(decision(request));
  }

  private Decision decision(Request request) {
    Claim claim = new Claim(CompiledRule.of(rule).limits().get(0), 0, request.cost());
    return EvaluatedDecision.of(
        List.of(claim), List.of(ClaimOutcome.degraded(admits, CLOCK.micros())), 0);
  }

  @Override
  public CompletableFuture<Limiter.Permit> acquireAsync(Request request) {
    return CompletableFuture.completedFuture(new EmptyPermit(decision(request)));
  }

  @Override
  public CompletableFuture<List<Decision>> executeAll(List<Request> requests, StoreOperation mode) {
    return CompletableFuture.completedFuture(requests.stream().map(this::decision).toList());
  }

  /** Does nothing, since its rule does not count by responses. */
  @Override
  public CompletableFuture<Boolean> complete(Decision decision, int status) {
    return CompletableFuture.completedFuture(true);
  }

  /** Does nothing, since nothing was charged. */
  @Override
  public CompletableFuture<Boolean> refund(Decision decision) {
    return CompletableFuture.completedFuture(true);
  }

  @Override
  public CompletableFuture<Reservation> reserve(Request request, Duration ttl) {
    return CompletableFuture.completedFuture(new EmptyReservation(decision(request)));
  }

  /** A permit that holds no slots. */
  private record EmptyPermit(Decision decision) implements Limiter.Permit {
    @Override
    public boolean isHeld() {
      return false;
    }

    @Override
    public boolean release() {
      return false;
    }
  }

  /** A reservation that holds no permits. */
  private record EmptyReservation(Decision decision) implements Reservation {
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
