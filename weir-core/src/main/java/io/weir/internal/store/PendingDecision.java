package io.weir.internal.store;

import io.weir.internal.rule.Claim;
import io.weir.store.StoreFailureKind;
import io.weir.store.StoreOperation;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * One decision submitted to a {@link RemoteStore}, and the future its caller waits for. Completed
 * once, by the first of: reply, failure, deadline.
 */
public final class PendingDecision extends CompletableFuture<ClaimOutcome[]> {
  private static final AtomicIntegerFieldUpdater<PendingDecision> SETTLED =
      AtomicIntegerFieldUpdater.newUpdater(PendingDecision.class, "settled");

  /** The next decision in the queue of the remote store, which alone uses this field. */
  public @Nullable PendingDecision next;

  /** The next of the decisions that have just arrived at the {@link DeadlineQueue}. */
  @Nullable PendingDecision nextDue;

  /** The reading of the {@link StoreTimeoutTracker} when this decision began to wait. */
  long silenceAtStartMicros;

  private final GuardedStore guard;
  private final Claim[] claims;
  private final StoreOperation operation;
  private final long when;
  private final long startedAt;
  private volatile int settled;

  PendingDecision(
      GuardedStore guard, Claim[] claims, StoreOperation operation, long when, long startedAt) {
    this.guard = guard;
    this.claims = claims;
    this.operation = operation;
    this.when = when;
    this.startedAt = startedAt;
  }

  public Claim[] claims() {
    return claims;
  }

  public StoreOperation operation() {
    return operation;
  }

  /** The time at which the charge counts, which may be earlier than {@code now}. */
  public long chargeTime(long now) {
    return Math.min(when, now);
  }

  /** Whether it is completed; if it was not sent yet, it must not be charged any more. */
  public boolean isSettled() {
    return settled != 0;
  }

  /**
   * Completes it with the reply, unless it is settled already. A reply that is late because this
   * node stalled is used: the store has charged it, and its caller still waits.
   *
   * @param now the time of the guard's clock
   * @return whether the caller gets this answer
   */
  public boolean answer(ClaimOutcome[] outcomes, long now) {
    if (!SETTLED.compareAndSet(this, 0, 1)) {
      return false;
    }
    guard.recordAnswer(operation, now - startedAt, now);
    complete(outcomes);
    return true;
  }

  /** Completes it with the fallbacks of its rules, for this reason. */
  public void fail(StoreException reason) {
    if (SETTLED.compareAndSet(this, 0, 1)) {
      complete(guard.recordFailure(claims, operation, when, reason));
    }
  }

  void expire() {
    if (settled == 0) {
      fail(
          new StoreException(
              StoreFailureKind.TIMEOUT, "no answer in " + guard.deadlineMicros() / 1000 + " ms"));
    }
  }

  /** How long it has waited, by the guard's clock. */
  public long waitedMicros(long now) {
    return Math.max(0, now - startedAt);
  }

  StoreTimeoutTracker timeoutTracker() {
    return guard.timeoutTracker();
  }
}
