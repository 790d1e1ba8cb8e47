package io.weir.spring;

import io.weir.Decision;
import io.weir.Limiter;
import io.weir.Request;
import io.weir.Reservation;
import io.weir.store.Mode;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A limiter whose decisions are timed: in an application anybody may ask it, not doors alone. */
final class TimedLimiter implements Limiter {
  private final Limiter limiter;
  private final DecisionTimer timer;

  TimedLimiter(Limiter limiter, DecisionTimer timer) {
    this.limiter = limiter;
    this.timer = timer;
  }

  @Override
  public CompletableFuture<Decision> ask(Request request, Mode mode) {
    long came = timer.now();
    return timed(limiter.ask(request, mode), came);
  }

  @Override
  public CompletableFuture<List<Decision>> askAll(List<Request> requests, Mode mode) {
    long came = timer.now();
    return timed(limiter.askAll(requests, mode), came);
  }

  @Override
  public CompletableFuture<Reservation> reserve(Request request, Duration ttl) {
    long came = timer.now();
    return timed(limiter.reserve(request, ttl), came);
  }

  @Override
  public CompletableFuture<Boolean> refund(Decision decision) {
    return limiter.refund(decision);
  }

  @Override
  public int pendingSettlements() {
    return limiter.pendingSettlements();
  }

  @Override
  public CompletableFuture<Decision> reset(Request request) {
    return limiter.reset(request);
  }

  @Override
  public void close() {
    limiter.close();
  }

  private <T> CompletableFuture<T> timed(CompletableFuture<T> answer, long came) {
    if (answer.isDone()) {
      timer.tookSince(came);
      return answer;
    }
    return answer.whenComplete((value, failure) -> timer.tookSince(came));
  }
}
