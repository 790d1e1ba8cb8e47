package io.weir.store;

import static io.weir.rule.Posture.Answer.LOCAL;
import static io.weir.store.MoodyStore.soon;
import static io.weir.store.MoodyStore.take;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.rule.Posture;
import io.weir.store.StoreException.Kind;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A guarded store always answers, and in time, whatever the store behind it does. */
class GuardTest {
  private static final Duration D = Duration.ofMillis(50);

  private final VirtualTime time = new VirtualTime();
  private final MoodyStore moody = new MoodyStore(time);
  private final Ears ears = new Ears();
  private Guard guard = new Guard(time, D, 100, ears, time);
  private Store store = guard.over(moody);

  @AfterEach
  void close() {
    guard.close();
  }

  @Test
  void silentStore_isAnsweredForAtTheDeadline() throws Exception {
    CompletableFuture<Outcome[]> answer = take(store, Posture.OPEN);
    time.pass(49_999);
    assertThat(answer).isNotDone();
    time.pass(1);
    assertThat(soon(answer).degraded()).isTrue();
    assertThat(ears.heard()).contains("failed TIMEOUT no answer in 50 ms");
    assertThat(moody.asked.get(0).isSettled()).as("nobody waits for it any more").isTrue();
  }

  @Test
  void replyAfterTheDeadline_isDiscarded() throws Exception {
    CompletableFuture<Outcome[]> answer = take(store, Posture.CLOSED);
    time.pass(50_000);
    moody.answer(moody.asked.get(0));
    Outcome o = soon(answer);
    assertThat(o.fits()).isFalse();
    assertThat(o.degraded()).isTrue();
  }

  @Test
  void replyThatArrivedWhileThisNodeStalled_isUsed() throws Exception {
    CompletableFuture<Outcome[]> answer = take(store, Posture.CLOSED);
    time.stall(3_000_000);
    time.after(0, () -> moody.answer(moody.asked.get(0))); // read after the overdue tick
    time.pass(0);
    assertThat(soon(answer).degraded()).isFalse();
    assertThat(soon(answer).fits()).isTrue();
  }

  @Test
  void timeForWhichThisNodeStalled_isNotHeldAgainstTheStore() throws Exception {
    CompletableFuture<Outcome[]> answer = take(store, Posture.OPEN);
    for (int i = 0; i < 4; i++) {
      time.stall(100_000);
      time.pass(9_999);
      assertThat(answer).as("after %s stalls", i + 1).isNotDone();
    }
    moody.answer(moody.asked.get(0));
    assertThat(soon(answer).degraded()).isFalse();
    assertThat(guard.available()).isTrue();
    assertThat(ears.heard()).isEmpty();
  }

  @Test
  void frozenStoreOnAStallingNode_costsTheDeadlineAndTheStalls() throws Exception {
    CompletableFuture<Outcome[]> answer = take(store, Posture.OPEN);
    int stalls = 0;
    for (; stalls < 100 && !answer.isDone(); stalls++) {
      time.stall(100_000);
      time.pass(10_000);
    }
    assertThat(soon(answer).degraded()).isTrue();
    assertThat(stalls).isBetween(4, 20);
  }

  @Test
  void timeInWhichTheStoreOwesNoReply_isNotHeldAgainstIt() throws Exception {
    moody.awaitingSince = Remote.NOTHING; // a thread of this node has not come to send it
    CompletableFuture<Outcome[]> answer = take(store, Posture.OPEN);
    time.pass(1_000_000);
    assertThat(answer).isNotDone();
    moody.awaitingSince = time.micros();
    time.pass(49_000);
    assertThat(answer).isNotDone();
    time.pass(11_000);
    assertThat(soon(answer).degraded()).isTrue();
  }

  @Test
  void decisionsQueuedBehindOthers_haveTheSameDeadline() throws Exception {
    CompletableFuture<Outcome[]> first = take(store, Posture.OPEN);
    time.pass(35_000);
    CompletableFuture<Outcome[]> second = take(store, Posture.OPEN);
    moody.awaitingSince = time.micros() - 1_000; // others are answered, quickly, one after another
    time.pass(20_000);
    assertThat(soon(first).degraded()).isTrue();
    time.pass(29_000);
    assertThat(second).isNotDone();
    time.pass(3_000);
    assertThat(soon(second).degraded()).isTrue();
  }

  @Test
  void remoteThatFailsWhenLookedAt_doesNotEndTheDeadlines() throws Exception {
    CompletableFuture<Outcome[]> answer = take(store, Posture.OPEN);
    moody.failsWhenLookedAt = true;
    time.pass(30_000);
    moody.failsWhenLookedAt = false;
    time.pass(70_000);
    assertThat(soon(answer).degraded()).isTrue();
  }

  @Test
  void costAboveTheLimit_isRefusedForeverAlsoWhileDegraded() throws Exception {
    for (Posture posture : new Posture[] {Posture.OPEN, Posture.CLOSED, new Posture(LOCAL, 50)}) {
      CompletableFuture<Outcome[]> answer = take(store, posture, 11);
      time.pass(50_000);
      assertThat(soon(answer).degraded()).isTrue();
      assertThat(soon(answer).never()).as("%s", posture).isTrue();
    }
  }

  @Test
  void idleGuard_schedulesNothing() throws Exception {
    moody.answers();
    assertThat(soon(take(store, Posture.OPEN)).degraded()).isFalse();
    moody.isSilent();
    var unused = take(store, Posture.OPEN);
    moody.answer(moody.asked.get(1));
    time.pass(1_000_000);
    assertThat(time.isIdle()).isTrue();
  }

  @Test
  void exceptionsBecomePostures() throws Exception {
    moody.failsWith(new StoreException(Kind.UNREACHABLE, "no route"));
    assertThat(soon(take(store, Posture.OPEN)).fits()).isTrue();
    moody.throwsOut(new IllegalStateException("thrown"));
    assertThat(soon(take(store, Posture.CLOSED)).fits()).isFalse();
    assertThat(ears.heard())
        .containsExactly(
            "failed UNREACHABLE no route", "failed ERROR java.lang.IllegalStateException: thrown");
    assertThat(guard.degraded()).isEqualTo(2);
  }

  @Test
  void moreThanMayWaitAreAnsweredAtOnceAndLaterOnesAreNot() throws Exception {
    guard.close();
    guard = new Guard(time, D, 3, ears, time);
    store = guard.over(moody);
    for (int i = 0; i < 3; i++) {
      assertThat(take(store, Posture.OPEN)).isNotDone();
    }
    assertThat(soon(take(store, Posture.OPEN)).degraded()).isTrue();
    assertThat(ears.heard()).containsExactly("failed OVERLOAD more than 3 decisions wait for it");
    moody.asked.forEach(moody::answer);
    for (int round = 0; round < 10; round++) { // whatever way they end, they wait no more
      moody.failsWith(new StoreException(Kind.ERROR, "odd"));
      assertThat(soon(take(store, Posture.OPEN)).degraded()).isTrue();
      moody.answers();
      assertThat(soon(take(store, Posture.OPEN)).degraded()).isFalse();
    }
  }

  @Test
  void anAnswerIsHeardWithWhatWasAskedAndHowLongItTook() throws Exception {
    guard.close();
    StringBuilder heard = new StringBuilder();
    guard =
        new Guard(
            time,
            D,
            100,
            new StoreListener() {
              @Override
              public void answered(Mode mode, long micros) {
                heard.append(mode).append(' ').append(micros);
              }
            },
            time);
    store = guard.over(moody);
    CompletableFuture<Outcome[]> answer = take(store, Posture.OPEN);
    time.pass(700);
    moody.answer(moody.asked.get(0));
    assertThat(soon(answer).degraded()).isFalse();
    assertThat(heard).hasToString("TAKE 700");
  }

  @Test
  void whatStillWaitsWhenItEndsIsAnswered() throws Exception {
    CompletableFuture<Outcome[]> answer = take(store, Posture.OPEN);
    guard.close();
    assertThat(soon(answer).degraded()).isTrue();
  }

  @Test
  void refusesSettingsThatCannotBe() {
    assertThatThrownBy(() -> new Guard(time, Duration.ZERO, 1, StoreListener.NONE, time))
        .hasMessage("store-deadline must be between 1ms and 1m (was 0s), for example 5ms");
    assertThatThrownBy(() -> new Guard(time, Duration.ofHours(1), 1, StoreListener.NONE, time))
        .hasMessage("store-deadline must be between 1ms and 1m (was 1h), for example 5ms");
    assertThatThrownBy(() -> new Guard(time, D, 0, StoreListener.NONE, time))
        .hasMessageContaining("write at least 1");
  }
}
