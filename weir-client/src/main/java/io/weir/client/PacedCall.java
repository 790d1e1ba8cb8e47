package io.weir.client;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One call with all its attempts. The sender waits for {@link #requestTurn()}, sends the request,
 * reports the result with {@link #onAnswer(RateLimitInfo)} or {@link #onNoAnswer()}, and starts
 * again if {@link #shouldRetry()} returns true. Supports one attempt at a time.
 */
final class PacedCall {
  private static final CompletableFuture<Void> COMPLETED = CompletableFuture.completedFuture(null);

  private final Pacing pacing;
  private final PacedCallQueue queue;
  private final URI uri;
  private final boolean retryable;
  private final long deadlineMicros;
  private final AtomicReference<@Nullable List<QuotaTracker>> inFlightQuotas =
      new AtomicReference<>();
  private volatile CompletableFuture<Void> turn = COMPLETED;
  private volatile @Nullable RateLimitInfo lastAnswer;
  private long queuedMicros;
  private int attempts;
  private volatile long backoffMicros;
  private volatile long heldUntilMicros;
  private long notBeforeMicros;

  PacedCall(Pacing pacing, PacedCallQueue queue, URI uri, boolean retryable, long deadline) {
    this.pacing = pacing;
    this.queue = queue;
    this.uri = uri;
    this.retryable = retryable;
    this.deadlineMicros = deadline;
  }

  long deadlineMicros() {
    return deadlineMicros;
  }

  /** Completes when the call may be sent; with a {@link PacingException} if that is too late. */
  CompletableFuture<Void> requestTurn() {
    CompletableFuture<Void> turnFuture = new CompletableFuture<>();
    turn = turnFuture;
    lastAnswer = null;
    queuedMicros = pacing.clock.micros();
    if (++attempts == 1) {
      queue.service().onFirstAttempt();
    }
    enqueue();
    return turnFuture;
  }

  private void enqueue() {
    long now = pacing.clock.micros();
    CompletableFuture<Void> turnFuture = turn;
    if (turnFuture.isDone()) {
      return;
    }
    if (notBeforeMicros > now) {
      pacing.timer.schedule(notBeforeMicros - now, this::enqueue);
      return;
    }
    long expected = queue.enqueue(this, attempts > 1);
    if (expected > 0) {
      failTooLate(turnFuture, expected - now);
    } else if (!turnFuture.isDone()) {
      pacing.timer.schedule(deadlineMicros - now, () -> expire(turnFuture));
    }
  }

  private void expire(CompletableFuture<Void> turnFuture) {
    if (!turnFuture.isDone()) {
      queue.remove(this);
      failTooLate(turnFuture, 0);
    }
  }

  private void failTooLate(CompletableFuture<Void> turnFuture, long wait) {
    Duration remaining = Pacing.duration(wait);
    boolean first =
        turnFuture.completeExceptionally(
            new PacingException(
                "a call to "
                    + uri.getHost()
                    + " would have to wait "
                    + (wait == 0 ? "longer" : "for " + remaining.toMillis() + " ms")
                    + ", which exceeds its maximum wait; retry later or increase maxWait",
                remaining));
    if (first) {
      pacing.notifyListener(l -> l.gaveUp(uri, "the wait would be too long"));
    }
  }

  /** Sets the quotas that the attempt is counted in, before it is dispatched. */
  void setQuotas(List<QuotaTracker> quotas) {
    inFlightQuotas.set(quotas);
  }

  void dispatch() {
    long wait = pacing.clock.micros() - queuedMicros;
    if (!turn.complete(null)) {
      releaseQuotas(queue::onNoAnswer); // the caller has just given up
    } else if (wait > 0) {
      pacing.notifyListener(l -> l.waited(uri, Pacing.duration(wait)));
    }
  }

  /** Called when the caller no longer waits for the call. */
  void abandon() {
    turn.cancel(false);
    queue.remove(this);
    releaseQuotas(queue::onNoAnswer);
  }

  /** Reports the rate limit information of a response, as soon as its headers have arrived. */
  void onAnswer(RateLimitInfo answer) {
    lastAnswer = answer;
    releaseQuotas(
        taken -> {
          backoffMicros = pacing.backoffMicros(answer.retryAfterMicros(), attempts);
          heldUntilMicros = queue.onAnswer(taken, answer, backoffMicros);
          if (answer.isRefusal()) {
            Duration wait = Pacing.duration(answer.retryAfterMicros());
            pacing.notifyListener(l -> l.refused(uri, answer.status(), wait));
          }
        });
  }

  /** Reports that an attempt received no response. */
  void onNoAnswer() {
    lastAnswer = null;
    backoffMicros = pacing.backoffMicros(0, attempts);
    releaseQuotas(queue::onNoAnswer);
  }

  private void releaseQuotas(Consumer<List<QuotaTracker>> how) {
    List<QuotaTracker> taken = inFlightQuotas.getAndSet(null);
    if (taken != null) {
      how.accept(taken);
    }
  }

  /** Returns whether to retry the call after the next {@link #requestTurn()}. */
  boolean shouldRetry() {
    RateLimitInfo answer = lastAnswer;
    if (answer != null && !pacing.isRetryable(answer.status())) {
      return false;
    }
    if (!retryable) {
      return false;
    }
    long now = pacing.clock.micros();
    long wait = Math.max(backoffMicros, heldUntilMicros - now);
    // a retry at the time that the service asked for does not use the retry budget
    boolean invited = answer != null && answer.isRefusal() && answer.retryAfterMicros() > 0;
    String reason =
        attempts >= pacing.maxAttempts
            ? "sent " + attempts + " times"
            : now + wait > deadlineMicros
                ? "the wait would be too long"
                : !invited && !queue.service().tryTakeRetry()
                    ? "the retry budget is exhausted"
                    : "";
    if (!reason.isEmpty()) {
      pacing.notifyListener(l -> l.gaveUp(uri, reason));
      return false;
    }
    notBeforeMicros = now + wait;
    int next = attempts + 1;
    pacing.notifyListener(l -> l.retrying(uri, next, Pacing.duration(wait)));
    return true;
  }
}
