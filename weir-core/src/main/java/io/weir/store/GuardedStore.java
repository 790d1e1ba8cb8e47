package io.weir.store;

import io.weir.rule.Claim;
import io.weir.rule.Fingerprint;
import io.weir.store.StoreException.Kind;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** One remote behind a {@link Guard}: always answers, and in time. */
final class GuardedStore implements Store {
  private static final long PROBE_EVERY = 100_000;
  private static final long PATIENCE_DEADLINES = 2;

  private final Remote remote;
  private final Guard guard;
  private final Breaker breaker;
  private final AtomicInteger waiting = new AtomicInteger();

  GuardedStore(Remote remote, Guard guard) {
    this.remote = remote;
    this.guard = guard;
    breaker = new Breaker(PATIENCE_DEADLINES * guard.deadline, PROBE_EVERY);
  }

  @Override
  public CompletableFuture<Outcome[]> take(Claim[] claims, Mode mode) {
    return ask(claims, mode, Ask.NOW);
  }

  @Override
  public CompletableFuture<Outcome[]> refund(Claim[] claims, long chargedAt) {
    return ask(claims, Mode.REFUND, chargedAt);
  }

  @Override
  public Fingerprint fingerprint() {
    return remote.fingerprint();
  }

  @Override
  public void close() {
    remote.close();
  }

  private CompletableFuture<Outcome[]> ask(Claim[] claims, Mode mode, long when) {
    if (claims.length == 0) {
      return CompletableFuture.completedFuture(new Outcome[0]);
    }
    long now = guard.clock.micros();
    if (!breaker.admits(now)) {
      guard.turnedAway();
      return CompletableFuture.completedFuture(guard.postures.answer(claims, mode));
    }
    if (waiting.incrementAndGet() > guard.maxWaiting) {
      waiting.decrementAndGet();
      guard.failed(Kind.OVERLOAD, "more than " + guard.maxWaiting + " decisions wait for it");
      return CompletableFuture.completedFuture(guard.postures.answer(claims, mode));
    }
    Ask ask = new Ask(this, claims, mode, when, now);
    remote.ask(ask);
    if (!ask.isSettled()) {
      guard.watch.add(ask);
    }
    return ask;
  }

  long deadline() {
    return guard.deadline;
  }

  /** Notes that a decision was answered in time. */
  void answered(long took, long now) {
    waiting.decrementAndGet();
    if (breaker.answered()) {
      guard.found(breaker.failingFor(now));
    }
    guard.answered(took);
  }

  /** Notes that a decision was not answered, and answers by the postures. */
  Outcome[] failed(Claim[] claims, Mode mode, StoreException failure) {
    waiting.decrementAndGet();
    if (breaker.failed(guard.clock.micros())) {
      guard.lost(failure.reason());
    }
    guard.failed(failure.kind(), failure.reason());
    return guard.postures.answer(claims, mode);
  }
}
