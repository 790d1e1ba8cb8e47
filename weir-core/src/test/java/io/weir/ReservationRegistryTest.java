package io.weir;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.internal.rule.Claim;
import io.weir.internal.rule.Fingerprint;
import io.weir.internal.store.ClaimOutcome;
import io.weir.internal.store.ClaimStore;
import io.weir.internal.store.MemoryStore;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.store.StoreOperation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Tests of open reservations when a limiter is closed. */
class ReservationRegistryTest {
  private static final RuleSet RULES =
      RuleSet.of(Rule.named("tokens").per("user").limit("100000/day").build());

  private final AtomicLong now = new AtomicLong(1_767_225_600_000_000L);
  private final DelayedRefundStore store = new DelayedRefundStore(new MemoryStore(now::get));
  private final Limiter limiter = Weir.limiter(RULES).store(store).clock(now::get).build();

  @Test
  void close_cancelsOnlyOpenReservations() {
    assertThat(reserve(300).commit(200).join()).isTrue();
    Reservation open = reserve(5000);
    Reservation cancelled = reserve(70);
    assertThat(cancelled.cancel().join()).isTrue();
    limiter.close();
    assertThat(used()).isEqualTo(200);
    assertThat(open.commit(5000).join()).as("canceled by close").isFalse();
    limiter.close();
    assertThat(used()).isEqualTo(200);
  }

  @Test
  void close_doesNotRefundIntoALaterWindow() {
    RuleSet rules =
        RuleSet.of(
            Rule.named("w").per("user").algorithm("fixed-window").limit("10/minute").build());
    Limiter windows = Weir.limiter(rules).store(store).clock(now::get).build();
    var unused = windows.reserve(user().cost(10), Duration.ofHours(1)).join();
    now.addAndGet(60_000_000);
    windows.decideNow(user().cost(10));
    windows.close();
    assertThat(windows.peek(user()).join().allowed()).isFalse();
  }

  @Test
  void reserveAfterClose_isCanceledAtOnce() {
    limiter.close();
    Reservation late = reserve(500);
    assertThat(late.decision().allowed()).isTrue();
    assertThat(used()).isZero();
    assertThat(late.cancel().join()).as("still open").isFalse();
  }

  @Test
  void close_cancelsInBatchesOfAtMost250() {
    for (int i = 0; i < 10_000; i++) {
      var unused = reserve(2);
    }
    assertThat(used()).isEqualTo(20_000);
    store.delaysRefunds = true;
    CompletableFuture<Void> closed = CompletableFuture.runAsync(limiter::close);
    int maxInFlight = 0;
    while (!closed.isDone()) {
      maxInFlight = Math.max(maxInFlight, store.replyToAll());
      Thread.onSpinWait();
    }
    closed.join();
    assertThat(maxInFlight).isBetween(1, 250);
    store.delaysRefunds = false;
    assertThat(used()).isZero();
  }

  @Test
  void closeWithUnresponsiveStore_returnsAfterTheTimeout() {
    Reservation held = reserve(10);
    store.delaysRefunds = true;
    ((DefaultLimiter) limiter).close(Duration.ofMillis(20));
    assertThat(store.pendingReplies).as("sent but not answered").hasSize(1);
    assertThat(held.cancel().join()).isFalse();
  }

  private Reservation reserve(long cost) {
    return limiter.reserve(user().cost(cost), Duration.ofMinutes(1)).join();
  }

  private long used() {
    return 100_000 - limiter.peek(user()).join().remaining();
  }

  private static Request user() {
    return Request.of("user", "x");
  }

  /** A store that can delay the replies to refunds until the test releases them. */
  private static final class DelayedRefundStore implements ClaimStore {
    private final ClaimStore counters;
    final List<Runnable> pendingReplies = new ArrayList<>();
    volatile boolean delaysRefunds;

    DelayedRefundStore(ClaimStore counters) {
      this.counters = counters;
    }

    @Override
    public CompletableFuture<ClaimOutcome[]> apply(
        Claim[] claims, StoreOperation operation, long when) {
      if (!delaysRefunds || operation != StoreOperation.REFUND) {
        return counters.apply(claims, operation, when);
      }
      CompletableFuture<ClaimOutcome[]> reply = new CompletableFuture<>();
      synchronized (this) {
        pendingReplies.add(() -> reply.complete(counters.apply(claims, operation, when).join()));
      }
      return reply;
    }

    /** Sends all pending replies and returns their number. */
    int replyToAll() {
      List<Runnable> replies;
      synchronized (this) {
        replies = new ArrayList<>(pendingReplies);
        pendingReplies.clear();
      }
      replies.forEach(Runnable::run);
      return replies.size();
    }

    @Override
    public Fingerprint fingerprint() {
      return counters.fingerprint();
    }
  }
}
