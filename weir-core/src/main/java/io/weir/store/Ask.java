package io.weir.store;

import io.weir.rule.Claim;
import io.weir.store.StoreException.Kind;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * One decision on its way to a {@link Remote}, and the future its caller waits for. Whoever comes
 * first settles it: the answer, a failure, or the deadline.
 */
public final class Ask extends CompletableFuture<Outcome[]> {
  private static final AtomicIntegerFieldUpdater<Ask> SETTLED =
      AtomicIntegerFieldUpdater.newUpdater(Ask.class, "settled");

  /** For the remote, to queue it by. */
  public @Nullable Ask next;

  /** For the watch, to queue it by. */
  @Nullable Ask nextDue;

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
   * Answers it.
   *
   * @param now by the guard's clock; what comes past the deadline is discarded, since it was
   *     decided for a caller who has gone on
   */
  public void answer(Outcome[] outcomes, long now) {
    long took = now - asked;
    if (took > guard.deadline()) {
      expire();
    } else if (SETTLED.compareAndSet(this, 0, 1)) {
      guard.answered(mode, took, now);
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

  /** When the watch has to look after it, by the guard's clock. */
  long due() {
    return asked + guard.deadline();
  }
}
