package io.weir.client;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One call with all its attempts: wait for {@link #turn}, send it, say what came of it with {@link
 * #lastAnswer} or {@link #onNoAnswer}, and if it {@link #shouldRetry}, begin anew. For one attempt
 * at a time.
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

  PacedCall(Pacing pacing, PacedCallQueue lane, URI uri, boolean repeatable, long deadline) {
    this.pacing = pacing;
    this.queue = lane;
    this.uri = uri;
    this.retryable = repeatable;
    this.deadlineMicros = deadline;
  }

  long deadlineMicros() {
    return deadlineMicros;
  }

  /** Completes when it may be sent; with a {@link PacingException} if that would be too late. */
  CompletableFuture<Void> requestTurn() {
    CompletableFuture<Void> mine = new CompletableFuture<>();
    turn = mine;
    lastAnswer = null;
    queuedMicros = pacing.clock.micros();
    if (++attempts == 1) {
      queue.service().onFirstAttempt();
    }
    enqueue();
    return mine;
  }

  private void enqueue() {
    long now = pacing.clock.micros();
    CompletableFuture<Void> mine = turn;
    if (mine.isDone()) {
      return;
    }
    if (notBeforeMicros > now) {
      pacing.timer.schedule(notBeforeMicros - now, this::enqueue);
      return;
    }
    long expected = queue.enqueue(this, attempts > 1);
    if (expected > 0) {
      failTooLate(mine, expected - now);
    } else if (!mine.isDone()) {
      pacing.timer.schedule(deadlineMicros - now, () -> expire(mine));
    }
  }

  private void expire(CompletableFuture<Void> mine) {
    if (!mine.isDone()) {
      queue.remove(this);
      failTooLate(mine, 0);
    }
  }

  private void failTooLate(CompletableFuture<Void> mine, long wait) {
    Duration left = Pacing.duration(wait);
    boolean first =
        mine.completeExceptionally(
            new PacingException(
                "a call to "
                    + uri.getHost()
                    + " would have to wait "
                    + (wait == 0 ? "longer" : "for " + left.toMillis() + " ms")
                    + ", which is past its time; call later, or write a longer wait",
                left));
    if (first) {
      pacing.notifyListener(l -> l.gaveUp(uri, "it would have to wait too long"));
    }
  }

  /** Notes what it is counted in, before it goes. */
  void setQuotas(List<QuotaTracker> quotas) {
    inFlightQuotas.set(quotas);
  }

  void dispatch() {
    long wait = pacing.clock.micros() - queuedMicros;
    if (!turn.complete(null)) {
      releaseQuotas(queue::onNoAnswer); // it was given up just now
    } else if (wait > 0) {
      pacing.notifyListener(l -> l.waited(uri, Pacing.duration(wait)));
    }
  }

  /** Nobody waits for it any more. */
  void abandon() {
    turn.cancel(false);
    queue.remove(this);
    releaseQuotas(queue::onNoAnswer);
  }

  /** What an answer tells; to be called as soon as its header fields are there. */
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

  /** No answer came. */
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

  /** Whether to send it again, at the next {@link #turn}. */
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
    // whoever was told when to come again adds no load by it
    boolean invited = answer != null && answer.isRefusal() && answer.retryAfterMicros() > 0;
    String obstacle =
        attempts >= pacing.maxAttempts
            ? "it was sent " + attempts + " times"
            : now + wait > deadlineMicros
                ? "it would have to wait too long"
                : !invited && !queue.service().tryTakeRetry()
                    ? "the budget for repeating is spent"
                    : "";
    if (!obstacle.isEmpty()) {
      pacing.notifyListener(l -> l.gaveUp(uri, obstacle));
      return false;
    }
    notBeforeMicros = now + wait;
    int next = attempts + 1;
    pacing.notifyListener(l -> l.retrying(uri, next, Pacing.duration(wait)));
    return true;
  }
}
