package io.weir.internal.store;

import static io.weir.internal.store.ScriptedRemoteStore.await;
import static io.weir.internal.store.ScriptedRemoteStore.take;
import static io.weir.rule.StoreFailureFallback.FallbackAction.LOCAL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.rule.StoreFailureFallback;
import io.weir.store.StoreFailureKind;
import io.weir.store.StoreListener;
import io.weir.store.StoreOperation;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A guarded store always answers in time, whatever the remote store does. */
class StoreFailureGuardTest {
  private static final Duration DEADLINE = Duration.ofMillis(50);

  private final VirtualTime time = new VirtualTime();
  private final ScriptedRemoteStore remote = new ScriptedRemoteStore(time);
  private final EventRecordingListener listener = new EventRecordingListener();
  private StoreFailureGuard guard = new StoreFailureGuard(time, DEADLINE, 100, listener, time);
  private ClaimStore store = guard.wrap(remote);

  @AfterEach
  void close() {
    guard.close();
  }

  @Test
  void silentStore_getsFallbackAtDeadline() throws Exception {
    CompletableFuture<ClaimOutcome[]> answer = take(store, StoreFailureFallback.OPEN);
    time.advance(49_999);
    assertThat(answer).isNotDone();
    time.advance(1);
    assertThat(await(answer).degraded()).isTrue();
    assertThat(listener.events()).contains("failed TIMEOUT no answer in 50 ms");
    assertThat(remote.submitted.get(0).isSettled()).as("settled").isTrue();
  }

  @Test
  void replyAfterDeadline_isDiscarded() throws Exception {
    CompletableFuture<ClaimOutcome[]> answer = take(store, StoreFailureFallback.CLOSED);
    time.advance(50_000);
    remote.answer(remote.submitted.get(0));
    ClaimOutcome o = await(answer);
    assertThat(o.admitted()).isFalse();
    assertThat(o.degraded()).isTrue();
  }

  @Test
  void replyDuringStallOfThisNode_isUsed() throws Exception {
    CompletableFuture<ClaimOutcome[]> answer = take(store, StoreFailureFallback.CLOSED);
    time.stall(3_000_000);
    time.schedule(
        0, () -> remote.answer(remote.submitted.get(0))); // reply is read after the overdue tick
    time.advance(0);
    assertThat(await(answer).degraded()).isFalse();
    assertThat(await(answer).admitted()).isTrue();
  }

  @Test
  void stallOfThisNode_doesNotCountAgainstStore() throws Exception {
    CompletableFuture<ClaimOutcome[]> answer = take(store, StoreFailureFallback.OPEN);
    for (int i = 0; i < 4; i++) {
      time.stall(100_000);
      time.advance(9_999);
      assertThat(answer).as("after %s stalls", i + 1).isNotDone();
    }
    remote.answer(remote.submitted.get(0));
    assertThat(await(answer).degraded()).isFalse();
    assertThat(guard.isAvailable()).isTrue();
    assertThat(listener.events()).isEmpty();
  }

  @Test
  void frozenStoreOnStallingNode_timesOutAfterDeadlineAndStalls() throws Exception {
    CompletableFuture<ClaimOutcome[]> answer = take(store, StoreFailureFallback.OPEN);
    int stalls = 0;
    for (; stalls < 100 && !answer.isDone(); stalls++) {
      time.stall(100_000);
      time.advance(10_000);
    }
    assertThat(await(answer).degraded()).isTrue();
    assertThat(stalls).isBetween(4, 20);
  }

  @Test
  void timeWithoutPendingReply_doesNotCountAgainstStore() throws Exception {
    remote.awaitingReplySince = RemoteStore.NO_REPLY_PENDING; // not sent yet by this node
    CompletableFuture<ClaimOutcome[]> answer = take(store, StoreFailureFallback.OPEN);
    time.advance(1_000_000);
    assertThat(answer).isNotDone();
    remote.awaitingReplySince = time.micros();
    time.advance(49_000);
    assertThat(answer).isNotDone();
    time.advance(11_000);
    assertThat(await(answer).degraded()).isTrue();
  }

  @Test
  void decisionQueuedBehindOthers_hasSameDeadline() throws Exception {
    CompletableFuture<ClaimOutcome[]> first = take(store, StoreFailureFallback.OPEN);
    time.advance(35_000);
    CompletableFuture<ClaimOutcome[]> second = take(store, StoreFailureFallback.OPEN);
    remote.awaitingReplySince =
        time.micros() - 1_000; // other calls are answered quickly, one after another
    time.advance(20_000);
    assertThat(await(first).degraded()).isTrue();
    time.advance(29_000);
    assertThat(second).isNotDone();
    time.advance(3_000);
    assertThat(await(second).degraded()).isTrue();
  }

  @Test
  void backlogOfStall_doesNotCountAgainstStoreThatAnswers() throws Exception {
    CompletableFuture<ClaimOutcome[]> first = take(store, StoreFailureFallback.OPEN);
    time.stall(700_000);
    remote.answer(remote.submitted.get(0));
    assertThat(await(first).degraded()).isFalse();
    CompletableFuture<ClaimOutcome[]> lastOfBacklog = take(store, StoreFailureFallback.OPEN);
    for (int i = 0; i < 30; i++) { // others of the backlog are answered before it, for 300 ms
      remote.awaitingReplySince = time.micros();
      time.advance(10_000);
      assertThat(lastOfBacklog).as("after %s ms", 10 * (i + 1)).isNotDone();
    }
    remote.answer(remote.submitted.get(1));
    assertThat(await(lastOfBacklog).degraded()).isFalse();
  }

  @Test
  void storeThatFreezesDuringBacklog_getsFallback() throws Exception {
    CompletableFuture<ClaimOutcome[]> first = take(store, StoreFailureFallback.OPEN);
    time.stall(700_000);
    remote.answer(remote.submitted.get(0));
    assertThat(await(first).degraded()).isFalse();
    CompletableFuture<ClaimOutcome[]> lastOfBacklog = take(store, StoreFailureFallback.OPEN);
    remote.awaitingReplySince = time.micros();
    time.advance(100_000 + 20_000); // late ticks add one deadline
    assertThat(await(lastOfBacklog).degraded()).isTrue();
  }

  @Test
  void remoteThatThrowsWhenPolled_keepsDeadlinesRunning() throws Exception {
    CompletableFuture<ClaimOutcome[]> answer = take(store, StoreFailureFallback.OPEN);
    remote.failsWhenPolled = true;
    time.advance(30_000);
    remote.failsWhenPolled = false;
    time.advance(70_000);
    assertThat(await(answer).degraded()).isTrue();
  }

  @Test
  void costAboveLimit_exceedsCapacityWhileDegraded() throws Exception {
    for (StoreFailureFallback fallback :
        new StoreFailureFallback[] {
          StoreFailureFallback.OPEN,
          StoreFailureFallback.CLOSED,
          new StoreFailureFallback(LOCAL, 50)
        }) {
      CompletableFuture<ClaimOutcome[]> answer = take(store, fallback, 11);
      time.advance(50_000);
      assertThat(await(answer).degraded()).isTrue();
      assertThat(await(answer).costExceedsLimit()).as("%s", fallback).isTrue();
    }
  }

  @Test
  void idleGuard_schedulesNothing() throws Exception {
    remote.answerAll();
    assertThat(await(take(store, StoreFailureFallback.OPEN)).degraded()).isFalse();
    remote.answerNone();
    var unused = take(store, StoreFailureFallback.OPEN);
    remote.answer(remote.submitted.get(1));
    time.advance(1_000_000);
    assertThat(time.isIdle()).isTrue();
  }

  @Test
  void exceptionOfRemote_isAnsweredByFallback() throws Exception {
    remote.failAllWith(new StoreException(StoreFailureKind.UNREACHABLE, "no route"));
    assertThat(await(take(store, StoreFailureFallback.OPEN)).admitted()).isTrue();
    remote.throwAlways(new IllegalStateException("thrown"));
    assertThat(await(take(store, StoreFailureFallback.CLOSED)).admitted()).isFalse();
    assertThat(listener.events())
        .containsExactly(
            "failed UNREACHABLE no route", "failed ERROR java.lang.IllegalStateException: thrown");
    assertThat(guard.degradedDecisions()).isEqualTo(2);
  }

  @Test
  void moreDecisionsThanMaxPending_getFallbackAtOnce() throws Exception {
    guard.close();
    guard = new StoreFailureGuard(time, DEADLINE, 3, listener, time);
    store = guard.wrap(remote);
    for (int i = 0; i < 3; i++) {
      assertThat(take(store, StoreFailureFallback.OPEN)).isNotDone();
    }
    assertThat(await(take(store, StoreFailureFallback.OPEN)).degraded()).isTrue();
    assertThat(listener.events())
        .containsExactly("failed OVERLOAD more than 3 decisions are pending");
    remote.submitted.forEach(remote::answer);
    for (int round = 0;
        round < 10;
        round++) { // settled decisions are not pending, however they ended
      remote.failAllWith(new StoreException(StoreFailureKind.ERROR, "odd"));
      assertThat(await(take(store, StoreFailureFallback.OPEN)).degraded()).isTrue();
      remote.answerAll();
      assertThat(await(take(store, StoreFailureFallback.OPEN)).degraded()).isFalse();
    }
  }

  @Test
  void answer_isReportedWithOperationAndLatency() throws Exception {
    guard.close();
    StringBuilder events = new StringBuilder();
    guard =
        new StoreFailureGuard(
            time,
            DEADLINE,
            100,
            new StoreListener() {
              @Override
              public void onAnswer(StoreOperation operation, long micros) {
                events.append(operation).append(' ').append(micros);
              }
            },
            time);
    store = guard.wrap(remote);
    CompletableFuture<ClaimOutcome[]> answer = take(store, StoreFailureFallback.OPEN);
    time.advance(700);
    remote.answer(remote.submitted.get(0));
    assertThat(await(answer).degraded()).isFalse();
    assertThat(events).hasToString("TAKE 700");
  }

  @Test
  void close_answersPendingDecisions() throws Exception {
    CompletableFuture<ClaimOutcome[]> answer = take(store, StoreFailureFallback.OPEN);
    guard.close();
    assertThat(await(answer).degraded()).isTrue();
  }

  @Test
  void invalidSettings_areRejected() {
    assertThatThrownBy(
            () -> new StoreFailureGuard(time, Duration.ZERO, 1, StoreListener.NONE, time))
        .hasMessage("store-deadline must be between 1ms and 1m (was 0s), for example 5ms");
    assertThatThrownBy(
            () -> new StoreFailureGuard(time, Duration.ofHours(1), 1, StoreListener.NONE, time))
        .hasMessage("store-deadline must be between 1ms and 1m (was 1h), for example 5ms");
    assertThatThrownBy(() -> new StoreFailureGuard(time, DEADLINE, 0, StoreListener.NONE, time))
        .hasMessageContaining("must be at least 1 (was 0)");
  }
}
