package io.weir.internal.store;

import static io.weir.internal.store.ScriptedRemoteStore.await;
import static io.weir.internal.store.ScriptedRemoteStore.take;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rule.StoreFailureFallback;
import io.weir.store.StoreFailureKind;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A store that stops answering is marked unavailable, and recovers when it answers again. */
class UnavailableStoreTest {
  private static final Duration DEADLINE = Duration.ofMillis(50);

  private final VirtualTime time = new VirtualTime();
  private final ScriptedRemoteStore remote = new ScriptedRemoteStore(time);
  private EventRecordingListener listener = new EventRecordingListener();
  private StoreFailureGuard guard = new StoreFailureGuard(time, DEADLINE, 100, listener, time);
  private ClaimStore store = guard.wrap(remote);

  @AfterEach
  void close() {
    guard.close();
  }

  @Test
  void unavailableStore_isProbedAndRecoversWhenItAnswers() throws Exception {
    makeUnavailable();
    int before = remote.submitted.size();
    for (int i = 0; i < 50; i++) {
      assertThat(await(take(store, StoreFailureFallback.CLOSED)).admitted()).isFalse();
    }
    assertThat(remote.submitted).as("no calls while unavailable").hasSize(before);
    time.advance(100_000);
    await(take(store, StoreFailureFallback.OPEN));
    await(take(store, StoreFailureFallback.OPEN));
    assertThat(remote.submitted).as("one probe").hasSize(before + 1);
    assertThat(guard.isAvailable()).isFalse();
    time.advance(100_000);
    remote.answerAll();
    assertThat(await(take(store, StoreFailureFallback.CLOSED)).degraded()).isFalse();
    assertThat(guard.isAvailable()).isTrue();
    assertThat(listener.events()).last().asString().startsWith("recovered ");
    assertThat(await(take(store, StoreFailureFallback.CLOSED)).degraded()).isFalse();
  }

  @Test
  void unavailableStoreWithoutTraffic_recoversByProbe() throws Exception {
    makeUnavailable();
    time.advance(100_000);
    guard.probe();
    assertThat(guard.isAvailable()).as("it still fails").isFalse();
    time.advance(100_000);
    remote.answerAll();
    guard.probe();
    assertThat(guard.isAvailable()).isTrue();
    int before = remote.submitted.size();
    guard.probe();
    assertThat(remote.submitted).as("an available store is not probed").hasSize(before);
  }

  @Test
  void closedUnavailableStore_doesNotAffectAvailability() throws Exception {
    makeUnavailable();
    store.close();
    assertThat(guard.isAvailable()).isTrue();
    for (int i = 0; i < 20; i++) {
      time.advance(20_000);
      await(take(store, StoreFailureFallback.OPEN));
    }
    assertThat(guard.isAvailable()).as("after further failures").isTrue();
  }

  @Test
  void fewOrBriefFailures_keepStoreAvailable() throws Exception {
    remote.failAllWith(new StoreException(StoreFailureKind.ERROR, "odd"));
    for (int i = 0; i < 100; i++) {
      await(take(store, StoreFailureFallback.OPEN));
    }
    assertThat(guard.isAvailable()).as("many failures within a short time").isTrue();
    remote.answerAll();
    await(take(store, StoreFailureFallback.OPEN));
    remote.failAllWith(new StoreException(StoreFailureKind.ERROR, "odd"));
    for (int i = 0; i < 4; i++) {
      time.advance(1_000_000);
      await(take(store, StoreFailureFallback.OPEN));
    }
    assertThat(guard.isAvailable()).as("four failures over a long time").isTrue();
  }

  @Test
  void failingListener_doesNotAffectDecisions() throws Exception {
    guard.close();
    listener =
        new EventRecordingListener() {
          @Override
          void record(String event) {
            super.record(event);
            if (event.startsWith("failed")) {
              throw new AssertionError("a bug of the listener");
            }
            throw new IllegalStateException("another");
          }
        };
    guard = new StoreFailureGuard(time, DEADLINE, 100, listener, time);
    store = guard.wrap(remote);
    makeUnavailable();
    time.advance(100_000);
    remote.answerNone();
    CompletableFuture<ClaimOutcome[]> probe = take(store, StoreFailureFallback.OPEN);
    time.advance(100_000);
    assertThat(await(probe).degraded()).as("deadlines still work").isTrue();
    remote.answerAll();
    assertThat(await(take(store, StoreFailureFallback.CLOSED)).degraded()).isFalse();
    guard.reportCorruptStates(3);
    assertThat(listener.events())
        .contains("corrupt 3")
        .anyMatch(event -> event.startsWith("recovered"));
  }

  private void makeUnavailable() throws Exception {
    remote.failAllWith(new StoreException(StoreFailureKind.ERROR, "gone"));
    for (int i = 0; i < 6; i++) {
      await(take(store, StoreFailureFallback.OPEN));
      time.advance(20_000);
    }
    assertThat(guard.isAvailable()).isFalse();
    assertThat(listener.events()).contains("unavailable gone");
  }
}
