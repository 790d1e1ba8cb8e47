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
  private final SilenceMeter silence;
  private final AtomicInteger waiting = new AtomicInteger();
  private volatile Claim[] unanswered = {};

  GuardedStore(Remote remote, Guard guard) {
    this.remote = remote;
    this.guard = guard;
    breaker = new Breaker(PATIENCE_DEADLINES * guard.deadline, PROBE_EVERY);
    silence = new SilenceMeter(remote);
  }

  @Override
  public Fingerprint fingerprint() {
    return remote.fingerprint();
  }

  @Override
  public void close() {
    breaker.retire();
    guard.retired(this);
    remote.close();
  }

  @Override
  public boolean available() {
    return !breaker.isOpen();
  }

  boolean isLost() {
    return breaker.isOpen();
  }

  /** Asks again what was not answered, charging nothing, for a store that nobody asks. */
  void probe() {
    long now = guard.clock.micros();
    if (breaker.isOpen() && breaker.admits(now)) {
      waiting.incrementAndGet();
      var unused = begin(unanswered, Mode.PEEK, NOW, now);
    }
  }

  @Override
  public CompletableFuture<Outcome[]> take(Claim[] claims, Mode mode, long when) {
    if (claims.length == 0) {
      return CompletableFuture.completedFuture(new Outcome[0]);
    }
    long now = guard.clock.micros();
    if (!breaker.admits(now)) {
      return CompletableFuture.completedFuture(guard.answerFor(claims, mode, when));
    }
    if (waiting.incrementAndGet() > guard.maxWaiting) {
      waiting.decrementAndGet();
      guard.failed(Kind.OVERLOAD, "more than " + guard.maxWaiting + " decisions wait for it");
      return CompletableFuture.completedFuture(guard.postures.answer(claims, mode, when));
    }
    return begin(claims, mode, when, now);
  }

  private Ask begin(Claim[] claims, Mode mode, long when, long now) {
    Ask ask = new Ask(this, claims, mode, when, now);
    try {
      remote.ask(ask);
    } catch (RuntimeException e) {
      ask.fail(new StoreException(Kind.ERROR, String.valueOf(e)));
    }
    if (!ask.isSettled()) {
      guard.limit(ask);
    }
    return ask;
  }

  long deadline() {
    return guard.deadline;
  }

  SilenceMeter silence() {
    return silence;
  }

  /** Notes that a decision was answered in time. */
  void answered(Mode mode, long took, long now) {
    waiting.decrementAndGet();
    if (breaker.answered()) {
      guard.found(this, breaker.failingFor(now));
    }
    guard.answered(mode, took);
  }

  /** Notes that a decision was not answered, and answers by the postures. */
  Outcome[] failed(Claim[] claims, Mode mode, long when, StoreException failure) {
    waiting.decrementAndGet();
    if (breaker.failed(guard.clock.micros())) {
      unanswered = claims;
      guard.lost(this, failure.reason());
    }
    guard.failed(failure.kind(), failure.reason());
    return guard.postures.answer(claims, mode, when);
  }
}
