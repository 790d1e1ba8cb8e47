package io.weir.internal.store;

import io.weir.internal.rule.Claim;
import io.weir.internal.rule.Fingerprint;
import io.weir.store.StoreFailureKind;
import io.weir.store.StoreOperation;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** One remote store behind a {@link StoreFailureGuard}: always answers in time. */
final class GuardedStore implements ClaimStore {
  private static final long PROBE_INTERVAL_MICROS = 100_000;
  private static final long OPEN_AFTER_DEADLINES = 2;

  private final RemoteStore remote;
  private final StoreFailureGuard guard;
  private final CircuitBreaker circuitBreaker;
  private final StoreTimeoutTracker timeoutTracker;
  private final AtomicInteger pending = new AtomicInteger();
  private volatile Claim[] lastUnanswered = {};

  GuardedStore(RemoteStore remote, StoreFailureGuard guard) {
    this.remote = remote;
    this.guard = guard;
    circuitBreaker =
        new CircuitBreaker(OPEN_AFTER_DEADLINES * guard.deadlineMicros, PROBE_INTERVAL_MICROS);
    timeoutTracker = new StoreTimeoutTracker(remote);
  }

  @Override
  public Fingerprint fingerprint() {
    return remote.fingerprint();
  }

  @Override
  public void close() {
    circuitBreaker.closePermanently();
    guard.forget(this);
    remote.close();
  }

  @Override
  public boolean isAvailable() {
    return !circuitBreaker.isOpen();
  }

  boolean isUnavailable() {
    return circuitBreaker.isOpen();
  }

  /** Repeats the last unanswered decision as a peek, to find out whether the store answers. */
  void probe() {
    long now = guard.clock.micros();
    if (circuitBreaker.isOpen() && circuitBreaker.allowRequest(now)) {
      pending.incrementAndGet();
      var unused = submit(lastUnanswered, StoreOperation.PEEK, NOW, now);
    }
  }

  @Override
  public CompletableFuture<ClaimOutcome[]> apply(
      Claim[] claims, StoreOperation operation, long when) {
    if (claims.length == 0) {
      return CompletableFuture.completedFuture(new ClaimOutcome[0]);
    }
    long now = guard.clock.micros();
    if (!circuitBreaker.allowRequest(now)) {
      return CompletableFuture.completedFuture(guard.fallbackFor(claims, operation, when));
    }
    if (pending.incrementAndGet() > guard.maxPending) {
      pending.decrementAndGet();
      guard.recordFailure(
          StoreFailureKind.OVERLOAD, "more than " + guard.maxPending + " decisions are pending");
      return CompletableFuture.completedFuture(
          guard.fallbackDecider.decide(claims, operation, when));
    }
    return submit(claims, operation, when, now);
  }

  private PendingDecision submit(Claim[] claims, StoreOperation operation, long when, long now) {
    PendingDecision decision = new PendingDecision(this, claims, operation, when, now);
    try {
      remote.submit(decision);
    } catch (RuntimeException e) {
      decision.fail(new StoreException(StoreFailureKind.ERROR, String.valueOf(e)));
    }
    if (!decision.isSettled()) {
      guard.enforceDeadline(decision);
    }
    return decision;
  }

  long deadlineMicros() {
    return guard.deadlineMicros;
  }

  StoreTimeoutTracker timeoutTracker() {
    return timeoutTracker;
  }

  /** Records that a decision was answered in time. */
  void recordAnswer(StoreOperation operation, long elapsedMicros, long now) {
    pending.decrementAndGet();
    if (circuitBreaker.recordSuccess()) {
      guard.markRecovered(this, circuitBreaker.failingMicros(now));
    }
    guard.recordAnswer(operation, elapsedMicros);
  }

  /** Records that a decision was not answered, and returns the fallbacks. */
  ClaimOutcome[] recordFailure(
      Claim[] claims, StoreOperation operation, long when, StoreException failure) {
    pending.decrementAndGet();
    if (circuitBreaker.recordFailure(guard.clock.micros())) {
      lastUnanswered = claims;
      guard.markUnavailable(this, failure.reason());
    }
    guard.recordFailure(failure.kind(), failure.reason());
    return guard.fallbackDecider.decide(claims, operation, when);
  }
}
