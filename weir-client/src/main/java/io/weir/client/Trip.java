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
 * #told} or {@link #lost}, and if it {@link #repeats}, begin anew. For one attempt at a time.
 */
final class Trip {
  private static final CompletableFuture<Void> NONE = CompletableFuture.completedFuture(null);

  private final Pacing pacing;
  private final Lane lane;
  private final URI uri;
  private final boolean repeatable;
  private final long deadline;
  private final AtomicReference<@Nullable List<Quota>> onTheWay = new AtomicReference<>();
  private volatile CompletableFuture<Void> turn = NONE;
  private volatile @Nullable Told told;
  private long queuedAt;
  private int attempts;
  private volatile long pause;
  private volatile long heldUntil;
  private long notBefore;

  Trip(Pacing pacing, Lane lane, URI uri, boolean repeatable, long deadline) {
    this.pacing = pacing;
    this.lane = lane;
    this.uri = uri;
    this.repeatable = repeatable;
    this.deadline = deadline;
  }

  long deadline() {
    return deadline;
  }

  /** Completes when it may be sent; with a {@link PaceException} if that would be too late. */
  CompletableFuture<Void> turn() {
    CompletableFuture<Void> mine = new CompletableFuture<>();
    turn = mine;
    told = null;
    queuedAt = pacing.clock.micros();
    if (++attempts == 1) {
      lane.host().called();
    }
    enter();
    return mine;
  }

  private void enter() {
    long now = pacing.clock.micros();
    CompletableFuture<Void> mine = turn;
    if (mine.isDone()) {
      return;
    }
    if (notBefore > now) {
      pacing.timer.in(notBefore - now, this::enter);
      return;
    }
    long expected = lane.enter(this, attempts > 1);
    if (expected > 0) {
      late(mine, expected - now);
    } else if (!mine.isDone()) {
      pacing.timer.in(deadline - now, () -> expire(mine));
    }
  }

  private void expire(CompletableFuture<Void> mine) {
    if (!mine.isDone()) {
      lane.leave(this);
      late(mine, 0);
    }
  }

  private void late(CompletableFuture<Void> mine, long wait) {
    Duration left = Pacing.duration(wait);
    boolean first =
        mine.completeExceptionally(
            new PaceException(
                "a call to "
                    + uri.getHost()
                    + " would have to wait "
                    + (wait == 0 ? "longer" : "for " + left.toMillis() + " ms")
                    + ", which is past its time; call later, or write a longer wait",
                left));
    if (first) {
      pacing.tell(l -> l.gaveUp(uri, "it would have to wait too long"));
    }
  }

  /** Notes what it is counted in, before it goes. */
  void takes(List<Quota> quotas) {
    onTheWay.set(quotas);
  }

  void go() {
    long wait = pacing.clock.micros() - queuedAt;
    if (!turn.complete(null)) {
      arrived(lane::unanswered); // it was given up just now
    } else if (wait > 0) {
      pacing.tell(l -> l.waited(uri, Pacing.duration(wait)));
    }
  }

  /** Nobody waits for it any more. */
  void abandon() {
    turn.cancel(false);
    lane.leave(this);
    arrived(lane::unanswered);
  }

  /** What an answer tells; to be called as soon as its header fields are there. */
  void told(Told answer) {
    told = answer;
    arrived(
        taken -> {
          pause = pacing.pause(answer.retryAfter(), attempts);
          heldUntil = lane.answered(taken, answer, pause);
          if (answer.refused()) {
            Duration wait = Pacing.duration(answer.retryAfter());
            pacing.tell(l -> l.refused(uri, answer.status(), wait));
          }
        });
  }

  /** No answer came. */
  void lost() {
    told = null;
    pause = pacing.pause(0, attempts);
    arrived(lane::unanswered);
  }

  private void arrived(Consumer<List<Quota>> how) {
    List<Quota> taken = onTheWay.getAndSet(null);
    if (taken != null) {
      how.accept(taken);
    }
  }

  /** Whether to send it again, at the next {@link #turn}. */
  boolean repeats() {
    Told answer = told;
    if (answer != null && !pacing.isPassing(answer.status())) {
      return false;
    }
    if (!repeatable) {
      return false;
    }
    long now = pacing.clock.micros();
    long wait = Math.max(pause, heldUntil - now);
    // whoever was told when to come again adds no load by it
    boolean invited = answer != null && answer.refused() && answer.retryAfter() > 0;
    String obstacle =
        attempts >= pacing.attempts
            ? "it was sent " + attempts + " times"
            : now + wait > deadline
                ? "it would have to wait too long"
                : !invited && !lane.host().pays() ? "the budget for repeating is spent" : "";
    if (!obstacle.isEmpty()) {
      pacing.tell(l -> l.gaveUp(uri, obstacle));
      return false;
    }
    notBefore = now + wait;
    int next = attempts + 1;
    pacing.tell(l -> l.repeats(uri, next, Pacing.duration(wait)));
    return true;
  }
}
