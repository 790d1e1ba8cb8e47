package io.weir.store;

import io.weir.rule.Claim;
import io.weir.rule.Fingerprint;
import io.weir.store.StoreException.Kind;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** One store behind a {@link Guard}: always answers, and in time. */
final class GuardedStore implements Store {
  private static final long PROBE_EVERY = 100_000;
  private static final long PATIENCE_DEADLINES = 2;
  private static final long NOW = Long.MIN_VALUE;

  private final Store inner;
  private final Guard guard;
  private final Breaker breaker;
  private final AtomicInteger waiting = new AtomicInteger();
  private volatile Claim[] unanswered = {};

  GuardedStore(Store inner, Guard guard) {
    this.inner = inner;
    this.guard = guard;
    breaker = new Breaker(PATIENCE_DEADLINES * guard.deadline, PROBE_EVERY);
  }

  @Override
  public CompletableFuture<Outcome[]> take(Claim[] claims, Mode mode) {
    return ask(claims, mode, NOW);
  }

  @Override
  public CompletableFuture<Outcome[]> refund(Claim[] claims, long chargedAt) {
    return ask(claims, Mode.REFUND, chargedAt);
  }

  @Override
  public Fingerprint fingerprint() {
    return inner.fingerprint();
  }

  @Override
  public void close() {
    breaker.retire();
    guard.retired(this);
    inner.close();
  }

  boolean isLost() {
    return breaker.isOpen();
  }

  /** Asks again what was not answered, charging nothing. */
  void probe() {
    long now = guard.clock.micros();
    if (breaker.isOpen() && breaker.admits(now)) {
      var unused =
          askInner(unanswered, Mode.PEEK, NOW)
              .whenComplete(
                  (outcomes, failure) -> {
                    if (failure == null && guard.clock.micros() - now <= guard.deadline) {
                      answered();
                    }
                  });
    }
  }

  private void answered() {
    if (breaker.answered()) {
      guard.found(this, breaker.failingFor(guard.clock.micros()));
    }
  }

  private CompletableFuture<Outcome[]> ask(Claim[] claims, Mode mode, long chargedAt) {
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
    CompletableFuture<Outcome[]> answer = askInner(claims, mode, chargedAt);
    Ask ask = new Ask(claims, mode, now, answer);
    var unused = answer.whenComplete(ask);
    if (!ask.isDone()) {
      guard.watch.add(ask);
    }
    return ask;
  }

  private CompletableFuture<Outcome[]> askInner(Claim[] claims, Mode mode, long chargedAt) {
    try {
      return chargedAt == NOW ? inner.take(claims, mode) : inner.refund(claims, chargedAt);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** One decision on its way; whoever comes first settles it: the answer or the deadline. */
  private final class Ask extends CompletableFuture<Outcome[]>
      implements BiConsumer<Outcome @Nullable [], @Nullable Throwable>, Watch.Waiting {
    private final Claim[] claims;
    private final Mode mode;
    private final long asked;
    private final CompletableFuture<Outcome[]> answer;
    private final AtomicBoolean settled = new AtomicBoolean();

    Ask(Claim[] claims, Mode mode, long asked, CompletableFuture<Outcome[]> answer) {
      this.claims = claims;
      this.mode = mode;
      this.asked = asked;
      this.answer = answer;
    }

    @Override
    public void accept(Outcome @Nullable [] outcomes, @Nullable Throwable failure) {
      if (settled.get()) {
        return;
      }
      long took = guard.clock.micros() - asked;
      if (outcomes == null) {
        fail(failure);
      } else if (took > guard.deadline) {
        expire(); // what is late was decided for a caller who has gone on
      } else if (settled.compareAndSet(false, true)) {
        waiting.decrementAndGet();
        GuardedStore.this.answered();
        guard.answered(took);
        complete(outcomes);
      }
    }

    @Override
    public long due() {
      return asked + guard.deadline;
    }

    @Override
    public void expire() {
      if (!settled.get()) {
        fail(new StoreException(Kind.TIMEOUT, "no answer in " + guard.deadline / 1000 + " ms"));
        answer.cancel(false);
      }
    }

    private void fail(@Nullable Throwable failure) {
      if (settled.compareAndSet(false, true)) {
        waiting.decrementAndGet();
        Throwable cause = failure instanceof CompletionException c ? c.getCause() : failure;
        Kind kind = cause instanceof StoreException e ? e.kind() : Kind.ERROR;
        String reason = cause instanceof StoreException e ? e.reason() : String.valueOf(cause);
        if (breaker.failed(guard.clock.micros())) {
          unanswered = claims;
          guard.lost(GuardedStore.this, reason);
        }
        guard.failed(kind, reason);
        complete(guard.postures.answer(claims, mode));
      }
    }
  }
}
