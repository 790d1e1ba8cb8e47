package io.weir.store;

import static io.weir.store.MoodyStore.soon;
import static io.weir.store.MoodyStore.take;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.rule.Posture;
import io.weir.store.StoreException.Kind;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A guarded store always answers, and in time, whatever the store behind it does. */
class GuardTest {
  private static final Duration D = Duration.ofMillis(50);

  private final AtomicLong time = new AtomicLong(1_000_000);
  private final MoodyStore moody = new MoodyStore(time::get);
  private final Ears ears = new Ears();
  private Guard guard = new Guard(time::get, D, 100, ears);
  private Store store = guard.over(moody);

  @AfterEach
  void close() {
    guard.close();
  }

  @Test
  void aStoreThatNeverAnswersIsAnsweredForAtTheDeadline() throws Exception {
    CompletableFuture<Outcome[]> answer = take(store, Posture.OPEN);
    time.addAndGet(49_999);
    assertThat(answer).isNotDone();
    time.addAndGet(1);
    assertThat(soon(answer).degraded()).isTrue();
    assertThat(ears.heard()).contains("failed TIMEOUT no answer in 50 ms");
    assertThat(moody.asked.get(0).isSettled()).as("nobody waits for it any more").isTrue();
  }

  @Test
  void aLateAnswerIsDiscarded() throws Exception {
    CompletableFuture<Outcome[]> answer = take(store, Posture.CLOSED);
    time.addAndGet(50_001);
    moody.answer(moody.asked.get(0));
    Outcome o = soon(answer);
    assertThat(o.fits()).isFalse();
    assertThat(o.degraded()).isTrue();
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
    guard = new Guard(time::get, D, 3, ears);
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
            time::get,
            D,
            100,
            new StoreListener() {
              @Override
              public void answered(Mode mode, long micros) {
                heard.append(mode).append(' ').append(micros);
              }
            });
    store = guard.over(moody);
    CompletableFuture<Outcome[]> answer = take(store, Posture.OPEN);
    time.addAndGet(700);
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
    assertThatThrownBy(() -> new Guard(time::get, Duration.ZERO, 1, StoreListener.NONE))
        .hasMessageContaining("write 1ms to 1m");
    assertThatThrownBy(() -> new Guard(time::get, Duration.ofHours(1), 1, StoreListener.NONE))
        .hasMessageContaining("write 1ms to 1m");
    assertThatThrownBy(() -> new Guard(time::get, D, 0, StoreListener.NONE))
        .hasMessageContaining("write at least 1");
  }
}
