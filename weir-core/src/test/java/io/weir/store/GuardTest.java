package io.weir.store;

import static io.weir.store.MoodyStore.soon;
import static io.weir.store.MoodyStore.take;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.rule.Posture;
import io.weir.store.StoreException.Kind;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A guarded store always answers, and in time, whatever the store behind it does. */
class GuardTest {
  private static final Duration D = Duration.ofMillis(50);

  private final AtomicLong time = new AtomicLong(1_000_000);
<<<<<<< HEAD
  private final MoodyStore moody = new MoodyStore(time::get);
  private Ears ears = new Ears();
=======
  private final MoodyStore moody = new MoodyStore();
  private final Ears ears = new Ears();
>>>>>>> fbf6edd5b9f5f467f011ada81d19c8af6ebf8830
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
<<<<<<< HEAD
    assertThat(soon(take(Posture.OPEN)).fits()).isTrue();
    moody.throwsOut(new IllegalStateException("thrown"));
    assertThat(soon(take(Posture.CLOSED)).fits()).isFalse();
=======
    assertThat(soon(take(store, Posture.OPEN)).fits()).isTrue();
    moody.failsWith(new IllegalStateException("odd"));
    assertThat(soon(take(store, Posture.CLOSED)).fits()).isFalse();
    moody.throwsOut(new IllegalStateException("thrown"));
    assertThat(soon(take(store, Posture.OPEN)).degraded()).isTrue();
>>>>>>> fbf6edd5b9f5f467f011ada81d19c8af6ebf8830
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
<<<<<<< HEAD
      moody.failsWith(new StoreException(Kind.ERROR, "odd"));
      assertThat(soon(take(Posture.OPEN)).degraded()).isTrue();
=======
      moody.failsWith(new IllegalStateException("odd"));
      assertThat(soon(take(store, Posture.OPEN)).degraded()).isTrue();
>>>>>>> fbf6edd5b9f5f467f011ada81d19c8af6ebf8830
      moody.answers();
      assertThat(soon(take(store, Posture.OPEN)).degraded()).isFalse();
    }
  }

  @Test
<<<<<<< HEAD
  void aLostStoreIsProbedNowAndThenAndFoundWhenItAnswers() throws Exception {
    lose();
    int before = moody.asked.size();
    for (int i = 0; i < 50; i++) {
      assertThat(soon(take(Posture.CLOSED)).fits()).isFalse();
    }
    assertThat(moody.asked).as("nobody waits for a lost store").hasSize(before);
    time.addAndGet(100_000);
    soon(take(Posture.OPEN));
    soon(take(Posture.OPEN));
    assertThat(moody.asked).as("one probe").hasSize(before + 1);
    assertThat(guard.available()).isFalse();
    time.addAndGet(100_000);
    moody.answers();
    assertThat(soon(take(Posture.CLOSED)).degraded()).isFalse();
    assertThat(guard.available()).isTrue();
    assertThat(ears.heard()).last().asString().startsWith("found ");
    assertThat(soon(take(Posture.CLOSED)).degraded()).isFalse();
  }

  @Test
  void aLostStoreIsFoundEvenIfNobodyAsks() throws Exception {
    lose();
    time.addAndGet(100_000);
    guard.probe();
    assertThat(guard.available()).as("it still fails").isFalse();
    time.addAndGet(100_000);
    moody.answers();
    guard.probe();
    assertThat(guard.available()).isTrue();
    int before = moody.asked.size();
    guard.probe();
    assertThat(moody.asked).as("what answers is not probed").hasSize(before);
  }

  @Test
  void aLostStoreThatIsClosedConcernsNobody() throws Exception {
    lose();
    store.close();
    assertThat(guard.available()).isTrue();
    for (int i = 0; i < 20; i++) {
      time.addAndGet(20_000);
      soon(take(Posture.OPEN));
    }
    assertThat(guard.available()).as("however the last decisions end").isTrue();
  }

  @Test
  void fewOrBriefFailuresDoNotLoseAStore() throws Exception {
    moody.failsWith(new StoreException(Kind.ERROR, "odd"));
    for (int i = 0; i < 100; i++) {
      soon(take(Posture.OPEN));
    }
    assertThat(guard.available()).as("many in no time").isTrue();
    moody.answers();
    soon(take(Posture.OPEN));
    moody.failsWith(new StoreException(Kind.ERROR, "odd"));
    for (int i = 0; i < 4; i++) {
      time.addAndGet(1_000_000);
      soon(take(Posture.OPEN));
    }
    assertThat(guard.available()).as("four in a long time").isTrue();
  }

  @Test
  void aListenerThatFailsHarmsNobody() throws Exception {
    guard.close();
    ears =
        new Ears() {
          @Override
          void hear(String what) {
            super.hear(what);
            if (what.startsWith("failed")) {
              throw new AssertionError("a bug of the listener's");
            }
            throw new IllegalStateException("another");
          }
        };
    guard = new Guard(time::get, D, 100, ears);
    store = guard.over(moody);
    lose();
    time.addAndGet(100_000);
    moody.isSilent();
    CompletableFuture<Outcome[]> probe = take(Posture.OPEN);
    time.addAndGet(100_000);
    assertThat(soon(probe).degraded()).as("the watch goes on").isTrue();
    moody.answers();
    assertThat(soon(take(Posture.CLOSED)).degraded()).isFalse();
    guard.corrupt(3);
    assertThat(ears.heard()).contains("corrupt 3").anyMatch(word -> word.startsWith("found"));
  }

  @Test
=======
>>>>>>> fbf6edd5b9f5f467f011ada81d19c8af6ebf8830
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
