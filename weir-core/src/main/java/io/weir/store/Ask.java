package io.weir.store;

import io.weir.rule.Claim;
import io.weir.store.StoreException.Kind;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * One decision on its way to a {@link Remote}, and the future its caller waits for. Completed once,
 * by the first of: reply, failure, deadline.
 */
public final class Ask extends CompletableFuture<Outcome[]> {
  private static final AtomicIntegerFieldUpdater<Ask> SETTLED =
      AtomicIntegerFieldUpdater.newUpdater(Ask.class, "settled");

  /** For the remote, to queue it by. */
  public @Nullable Ask next;

  /** For the {@link DeadlineQueue}, to link those that have just arrived. */
  @Nullable Ask nextDue;

  /** For the {@link SilenceMeter}: what it read when this decision began to wait. */
  long owedAtStart;

  private final GuardedStore guard;
  private final Claim[] claims;
  private final Mode mode;
  private final long when;
  private final long asked;
  private volatile int settled;

  Ask(GuardedStore guard, Claim[] claims, Mode mode, long when, long asked) {
    this.guard = guard;
    this.claims = claims;
    this.mode = mode;
    this.when = when;
    this.asked = asked;
  }

  public Claim[] claims() {
    return claims;
  }

  public Mode mode() {
    return mode;
  }

  /** When the charge counts, which may be earlier than {@code now}. */
  public long when(long now) {
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
  public void answer(Outcome[] outcomes, long now) {
    if (SETTLED.compareAndSet(this, 0, 1)) {
      guard.answered(mode, now - asked, now);
      complete(outcomes);
    }
  }

  /** Has its rules' postures answer it, for this reason. */
  public void fail(StoreException reason) {
    if (SETTLED.compareAndSet(this, 0, 1)) {
      complete(guard.failed(claims, mode, when, reason));
    }
  }

  void expire() {
    if (settled == 0) {
      fail(new StoreException(Kind.TIMEOUT, "no answer in " + guard.deadline() / 1000 + " ms"));
    }
  }

  /** For how long it has waited, by the guard's clock. */
  long waited(long now) {
    return Math.max(0, now - asked);
  }

  SilenceMeter silence() {
    return guard.silence();
  }
}
