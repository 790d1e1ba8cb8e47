package io.weir.spring;

import io.weir.Decision;
import io.weir.Limiter;
import io.weir.Request;
import io.weir.Reservation;
import io.weir.store.StoreOperation;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** A limiter that records the latency of its decisions, for filters and injected limiters alike. */
final class TimedLimiter implements Limiter {
  private final Limiter limiter;
  private final DecisionTimer timer;

  TimedLimiter(Limiter limiter, DecisionTimer timer) {
    this.limiter = limiter;
    this.timer = timer;
  }

  @Override
  public CompletableFuture<Decision> execute(Request request, StoreOperation mode) {
    long startMicros = timer.nowMicros();
    return recordLatency(limiter.execute(request, mode), startMicros);
  }

  @Override
  public CompletableFuture<List<Decision>> executeAll(List<Request> requests, StoreOperation mode) {
    long startMicros = timer.nowMicros();
    return recordLatency(limiter.executeAll(requests, mode), startMicros);
  }

  @Override
  public CompletableFuture<Limiter.Permit> acquireAsync(Request request) {
    long startMicros = timer.nowMicros();
    return recordLatency(limiter.acquireAsync(request), startMicros);
  }

  @Override
  public CompletableFuture<Reservation> reserve(Request request, Duration ttl) {
    long startMicros = timer.nowMicros();
    return recordLatency(limiter.reserve(request, ttl), startMicros);
  }

  @Override
  public Decision decideWithin(Request request, Duration timeout) throws InterruptedException {
    return limiter.decideWithin(request, timeout);
  }

  @Override
  public CompletableFuture<Boolean> complete(Decision decision, int status) {
    return limiter.complete(decision, status);
  }

  @Override
  public CompletableFuture<Boolean> refund(Decision decision) {
    return limiter.refund(decision);
  }

  @Override
  public CompletableFuture<List<Limiter.Permit>> acquireAll(List<Request> requests) {
    long startMicros = timer.nowMicros();
    return recordLatency(limiter.acquireAll(requests), startMicros);
  }

  @Override
  public Map<String, Integer> heldSlots() {
    return limiter.heldSlots();
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

  private <T> CompletableFuture<T> recordLatency(CompletableFuture<T> future, long startMicros) {
    if (future.isDone()) {
      timer.recordLatencySince(startMicros);
      return future;
    }
    return future.whenComplete((value, failure) -> timer.recordLatencySince(startMicros));
  }
}
