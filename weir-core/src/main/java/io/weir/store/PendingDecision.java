package io.weir.store;

import io.weir.rule.Claim;
import io.weir.store.StoreException.StoreFailureKind;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * One decision on its way to a {@link RemoteStore}, and the future its caller waits for. Completed
 * once, by the first of: reply, failure, deadline.
 */
public final class PendingDecision extends CompletableFuture<ClaimOutcome[]> {
  private static final AtomicIntegerFieldUpdater<PendingDecision> SETTLED =
      AtomicIntegerFieldUpdater.newUpdater(PendingDecision.class, "settled");

  /** For the remote, to queue it by. */
  public @Nullable PendingDecision next;

  /** For the {@link DeadlineQueue}, to link those that have just arrived. */
  @Nullable PendingDecision nextDue;

  /** For the {@link StoreTimeoutTracker}: what it read when this decision began to wait. */
  long silenceAtStartMicros;

  private final GuardedStore guard;
  private final Claim[] claims;
  private final StoreOperation operation;
  private final long when;
  private final long startedAt;
  private volatile int settled;

  PendingDecision(GuardedStore guard, Claim[] claims, StoreOperation mode, long when, long asked) {
    this.guard = guard;
    this.claims = claims;
    this.operation = mode;
    this.when = when;
    this.startedAt = asked;
  }

  public Claim[] claims() {
    return claims;
  }

  public StoreOperation operation() {
    return operation;
  }

  /** When the charge counts, which may be earlier than {@code now}. */
  public long chargeTime(long now) {
    return Math.min(when, now);
  }

  /** Whether nobody waits for it any more; what was not begun yet must not be charged. */
  public boolean isSettled() {
    return settled != 0;
  }

  /**
   * Answers it, unless its deadline has passed. A reply that is late because this node did not run
   * is as good as any: the store has charged it, and its caller still waits.
   *
   * @param now by the guard's clock
   */
  public void answer(ClaimOutcome[] outcomes, long now) {
    if (SETTLED.compareAndSet(this, 0, 1)) {
      guard.recordAnswer(operation, now - startedAt, now);
      complete(outcomes);
    }
  }

  /** Has its rules' postures answer it, for this reason. */
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

  /** For how long it has waited, by the guard's clock. */
  long waitedMicros(long now) {
    return Math.max(0, now - startedAt);
  }

  StoreTimeoutTracker timeoutTracker() {
    return guard.timeoutTracker();
  }
}
