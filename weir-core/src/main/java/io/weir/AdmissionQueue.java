package io.weir;

import io.weir.store.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Waits until requests are admitted. Threads that wait for equal requests take turns in the order
 * in which they came, so that only the first of them is decided again, at the exact time at which
 * its permits are available. Thread-safe.
 */
final class AdmissionQueue {
  private final Limiter limiter;
  private final Clock clock;
  private final CancellableScheduler scheduler;

  /** The end of the last turn for each request that threads wait for. */
  private final Map<Request, CompletableFuture<Void>> lastTurns = new ConcurrentHashMap<>();

  AdmissionQueue(Limiter limiter, Clock clock, CancellableScheduler scheduler) {
    this.limiter = limiter;
    this.clock = clock;
    this.scheduler = scheduler;
  }

  /** See {@link Limiter#decideWithin}. */
  Decision decideWithin(Request request, Duration timeout) throws InterruptedException {
    long deadline = clock.micros() + Math.max(0, toMicros(timeout));
    CompletableFuture<Void> turn = new CompletableFuture<>();
    CompletableFuture<Void> previous = lastTurns.put(request, turn);
    try {
      if (previous != null) {
        awaitUntil(previous, deadline);
      }
      while (true) {
        Decision decision = await(limiter.decide(request), limiter);
        long wait = toMicros(decision.retryAfter());
        if (decision.allowed()) {
          return delay(decision);
        }
        if (decision.costExceedsLimit() || wait <= 0 || wait > deadline - clock.micros()) {
          return decision;
        }
        awaitUntil(new CompletableFuture<>(), clock.micros() + wait);
      }
    } finally {
      endTurn(request, turn, previous);
    }
  }

  /** Ends a turn after the one before it, since that may have a later deadline. */
  private void endTurn(
      Request request, CompletableFuture<Void> turn, @Nullable CompletableFuture<Void> previous) {
    lastTurns.remove(request, turn);
    if (previous == null) {
      turn.complete(null);
    } else {
      var unused = previous.thenRun(() -> turn.complete(null));
    }
  }

  private Decision delay(Decision decision) throws InterruptedException {
    if (!decision.delay().isZero()) {
      try {
        awaitUntil(new CompletableFuture<>(), clock.micros() + toMicros(decision.delay()));
      } catch (InterruptedException e) {
        var unused = limiter.refund(decision);
        throw e;
      }
    }
    return decision;
  }

  /** Waits for a decision; if interrupted, what it charges is refunded. */
  private static Decision await(CompletableFuture<Decision> pending, Limiter limiter)
      throws InterruptedException {
    try {
      return pending.get();
    } catch (InterruptedException e) {
      var unused = pending.thenCompose(limiter::refund);
      throw e;
    } catch (ExecutionException e) {
      throw new IllegalStateException("a decision never fails", e);
    }
  }

  /** Waits until the future is complete, at most until the deadline. */
  private void awaitUntil(CompletableFuture<Void> future, long deadline)
      throws InterruptedException {
    CompletableFuture<Void> wakeUp = new CompletableFuture<>();
    Runnable cancel =
        scheduler.schedule(Math.max(0, deadline - clock.micros()), () -> wakeUp.complete(null));
    try {
      CompletableFuture.anyOf(future, wakeUp).get();
    } catch (ExecutionException e) {
      throw new IllegalStateException("a turn never fails", e);
    } finally {
      cancel.run();
    }
  }

  private static long toMicros(Duration duration) {
    return duration.toSeconds() > Integer.MAX_VALUE
        ? Integer.MAX_VALUE * 1_000_000L
        : duration.toNanos() / 1000;
  }
}
