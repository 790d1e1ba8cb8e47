package io.weir;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Reservation.State;
import io.weir.internal.rule.Fingerprint;
import io.weir.internal.store.MemoryStore;
import io.weir.internal.store.PendingDecision;
import io.weir.internal.store.RemoteStore;
import io.weir.internal.store.StoreException;
import io.weir.internal.store.StoreFailureGuard;
import io.weir.rule.Rule;
import io.weir.rule.RuleBuilder;
import io.weir.rule.RuleSet;
import io.weir.store.StoreFailureKind;
import io.weir.store.StoreListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of reservations and refunds while the store is unavailable and afterwards. */
class SettlementsTest {
  private static final long SECOND = 1_000_000;
  private static final Request USER = Request.of("user", "x");

  private final AtomicLong now = new AtomicLong(1_800_000_000_000_000L);
  private final FakeScheduler scheduler = new FakeScheduler(now);
  private final FakeRemoteStore remoteStore = new FakeRemoteStore();
  private final StoreFailureGuard guard =
      new StoreFailureGuard(
          now::get, Duration.ofMillis(5), 1000, StoreListener.NONE, (after, task) -> {});

  @Test
  void commitAfterDegradedReserve_chargesTheFullCost() {
    Limiter limiter = limiter(rule("20/day"));
    remoteStore.down = true;
    Reservation held = reserve(limiter, 4);
    assertThat(held.decision().degraded()).isTrue();
    remoteStore.down = false;
    assertThat(held.commit(20).join()).isTrue();
    assertThat(held.state()).isEqualTo(State.SETTLED);
    assertThat(remaining(limiter)).isZero();
  }

  @Test
  void cancelAfterDegradedReserve_refundsNothing() {
    Limiter limiter = limiter(rule("20/day"));
    limiter.decideNow(USER.cost(10));
    remoteStore.down = true;
    Reservation held = reserve(limiter, 4);
    Decision degraded = limiter.decideNow(USER.cost(3));
    remoteStore.down = false;
    assertThat(held.cancel().join()).isTrue();
    assertThat(limiter.refund(degraded).join()).isTrue();
    assertThat(remaining(limiter)).isEqualTo(10);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void commitWhileStoreIsUnavailable_isPendingAndChargedLater(boolean known) {
    Limiter limiter = limiter(rule("20/day"));
    Reservation held = reserve(limiter, 4);
    remoteStore.down = true;
    if (known) {
      openCircuitBreaker(limiter);
    }
    assertThat(held.commit(15).join()).as("was open").isTrue();
    assertThat(held.state()).isEqualTo(State.PENDING);
    assertThat(limiter.pendingSettlements()).isEqualTo(1);
    scheduler.advance(SECOND);
    assertThat(held.state()).isEqualTo(State.PENDING);
    remoteStore.down = false;
    scheduler.advance(SECOND);
    assertThat(held.state()).isEqualTo(State.SETTLED);
    assertThat(limiter.pendingSettlements()).isZero();
    assertThat(remaining(limiter)).isEqualTo(5);
    assertThat(scheduler.pendingTasks()).as("only the timer of the reservation").isEqualTo(1);
  }

  @Test
  void cancelWhileStoreIsKnownToBeUnavailable_isRefundedLater() {
    Limiter limiter = limiter(rule("20/day"));
    Reservation held = reserve(limiter, 15);
    Decision decision = limiter.decideNow(USER.cost(3));
    remoteStore.down = true;
    openCircuitBreaker(limiter);
    held.cancel().join();
    assertThat(held.state()).isEqualTo(State.PENDING);
    assertThat(limiter.refund(decision).join()).isFalse();
    remoteStore.down = false;
    scheduler.advance(SECOND);
    assertThat(held.state()).isEqualTo(State.SETTLED);
    assertThat(remaining(limiter)).isEqualTo(20);
  }

  @Test
  void refundWithoutReply_isNotRepeated() {
    Limiter limiter = limiter(rule("20/day"));
    Reservation held = reserve(limiter, 5);
    limiter.decideNow(USER.cost(10));
    remoteStore.answersTooLate = true;
    held.cancel().join();
    assertThat(held.state()).isEqualTo(State.UNCONFIRMED);
    remoteStore.answersTooLate = false;
    scheduler.advance(SECOND);
    assertThat(remaining(limiter)).isEqualTo(10);
  }

  @Test
  void lateChargeToBucket_countsUntilTheBucketWouldBeFull() {
    Limiter limiter = limiter(rule("60/minute"));
    Reservation soon = reserve(limiter, 1);
    remoteStore.down = true;
    soon.commit(41).join();
    scheduler.advance(30 * SECOND);
    remoteStore.down = false;
    scheduler.advance(SECOND);
    assertThat(remaining(limiter)).as("one second later").isEqualTo(21);

    Reservation late = reserve(limiter, 1);
    remoteStore.down = true;
    late.commit(10).join();
    scheduler.advance(200 * SECOND);
    remoteStore.down = false;
    scheduler.advance(SECOND);
    assertThat(remaining(limiter)).isEqualTo(60);
    assertThat(limiter.pendingSettlements()).isZero();
  }

  @Test
  void lateChargeToWindow_countsInItsOwnWindow() {
    Limiter limiter = limiter(rule("60/minute").algorithm("fixed-window"));
    Reservation held = reserve(limiter, 1);
    remoteStore.down = true;
    held.commit(41).join();
    scheduler.advance(60 * SECOND);
    remoteStore.down = false;
    scheduler.advance(SECOND);
    assertThat(remaining(limiter)).as("another window").isEqualTo(60);
    assertThat(limiter.pendingSettlements()).isZero();
  }

  @Test
  void correctionsBeyondTheQueueLimit_areUnconfirmed() {
    Limiter limiter = limiter(rule("1000000/day").algorithm("fixed-window"));
    remoteStore.down = true;
    openCircuitBreaker(limiter);
    List<Reservation> many = new ArrayList<>();
    for (int i = 0; i <= Settlements.MAX_PENDING; i++) {
      Reservation one = reserve(limiter, 1);
      one.commit(2).join();
      many.add(one);
    }
    assertThat(limiter.pendingSettlements()).isEqualTo(Settlements.MAX_PENDING);
    assertThat(many.get(many.size() - 1).state()).isEqualTo(State.UNCONFIRMED);
    remoteStore.down = false;
    scheduler.advance(SECOND);
    assertThat(limiter.pendingSettlements()).isZero();
    assertThat(remaining(limiter)).isEqualTo(1_000_000 - 2 * Settlements.MAX_PENDING);
  }

  @Test
  void close_sendsPendingCorrections() {
    Limiter limiter = limiter(rule("20/day"));
    Reservation held = reserve(limiter, 4);
    remoteStore.down = true;
    held.commit(15).join();
    remoteStore.down = false;
    limiter.close();
    assertThat(held.state()).isEqualTo(State.SETTLED);
    assertThat(remaining(limiter)).isEqualTo(5);
    assertThat(scheduler.pendingTasks()).isZero();
  }

  @Test
  void manyReservations_shareOneTimer() {
    Limiter limiter = limiter(rule("1000000/day"));
    var unused = limiter.reserve(USER, Duration.ofDays(1)).join();
    for (int i = 0; i < 1000; i++) {
      limiter.reserve(USER, Duration.ofMillis(1)).join().commit(1).join();
      scheduler.advance(3000);
      assertThat(scheduler.pendingTasks()).isEqualTo(1);
    }
  }

  @Test
  void expiredReservation_isCanceledByTheTimer() {
    Limiter limiter = limiter(rule("20/day"));
    Reservation longer = limiter.reserve(USER.cost(3), Duration.ofHours(1)).join();
    Reservation shorter = limiter.reserve(USER.cost(4), Duration.ofSeconds(1)).join();
    scheduler.advance(SECOND);
    assertThat(shorter.state()).isEqualTo(State.SETTLED);
    assertThat(longer.state()).isEqualTo(State.OPEN);
    scheduler.advance(3600 * SECOND);
    assertThat(longer.state()).isEqualTo(State.SETTLED);
    assertThat(remaining(limiter)).isEqualTo(20);
    assertThat(scheduler.pendingTasks()).isZero();
  }

  private Limiter limiter(RuleBuilder rule) {
    RuleSet rules = RuleSet.of(rule.build());
    return new DefaultLimiter(
        rules, guard.wrap(remoteStore), now::get, now::get, List.of(), scheduler);
  }

  private static RuleBuilder rule(String limit) {
    return Rule.named("tokens").per("user").limit(limit);
  }

  private static Reservation reserve(Limiter limiter, long cost) {
    return limiter.reserve(USER.cost(cost), Duration.ofHours(1)).join();
  }

  private long remaining(Limiter limiter) {
    now.addAndGet(SECOND); // so that the circuit breaker tries the store again
    limiter.peek(USER).join();
    Decision left = limiter.peek(USER).join();
    assertThat(left.degraded()).isFalse();
    return left.remaining();
  }

  /** Sends requests until the circuit breaker has opened. */
  private void openCircuitBreaker(Limiter limiter) {
    for (int i = 0; i < 10; i++) {
      limiter.peek(USER).join();
      now.addAndGet(5000);
    }
    assertThat(guard.isAvailable()).isFalse();
  }

  /** A remote store that counts in memory and can be down or slow. */
  private final class FakeRemoteStore implements RemoteStore {
    private final MemoryStore counters = new MemoryStore(now::get);
    boolean down;
    boolean answersTooLate;

    @Override
    public void submit(PendingDecision ask) {
      if (down) {
        ask.fail(new StoreException(StoreFailureKind.UNREACHABLE, "down"));
        return;
      }
      long when = ask.chargeTime(Long.MAX_VALUE);
      var outcomes = counters.apply(ask.claims(), ask.operation(), when).join();
      if (answersTooLate) {
        ask.fail(new StoreException(StoreFailureKind.TIMEOUT, "too late"));
      } else {
        ask.answer(outcomes, now.get());
      }
    }

    @Override
    public Fingerprint fingerprint() {
      return counters.fingerprint();
    }
  }
}
