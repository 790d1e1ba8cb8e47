package io.weir.store;

import static io.weir.store.MoodyStore.soon;
import static io.weir.store.MoodyStore.take;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rule.Posture;
import io.weir.store.StoreException.Kind;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A store that answers no more is lost, and found again when it does. */
class LostStoreTest {
  private static final Duration D = Duration.ofMillis(50);

  private final VirtualTime time = new VirtualTime();
  private final MoodyStore moody = new MoodyStore(time);
  private Ears ears = new Ears();
  private Guard guard = new Guard(time, D, 100, ears, time);
  private Store store = guard.over(moody);

  @AfterEach
  void close() {
    guard.close();
  }

  @Test
  void aLostStoreIsProbedNowAndThenAndFoundWhenItAnswers() throws Exception {
    lose();
    int before = moody.asked.size();
    for (int i = 0; i < 50; i++) {
      assertThat(soon(take(store, Posture.CLOSED)).fits()).isFalse();
    }
    assertThat(moody.asked).as("nobody waits for a lost store").hasSize(before);
    time.pass(100_000);
    soon(take(store, Posture.OPEN));
    soon(take(store, Posture.OPEN));
    assertThat(moody.asked).as("one probe").hasSize(before + 1);
    assertThat(guard.available()).isFalse();
    time.pass(100_000);
    moody.answers();
    assertThat(soon(take(store, Posture.CLOSED)).degraded()).isFalse();
    assertThat(guard.available()).isTrue();
    assertThat(ears.heard()).last().asString().startsWith("found ");
    assertThat(soon(take(store, Posture.CLOSED)).degraded()).isFalse();
  }

  @Test
  void aLostStoreIsFoundEvenIfNobodyAsks() throws Exception {
    lose();
    time.pass(100_000);
    guard.probe();
    assertThat(guard.available()).as("it still fails").isFalse();
    time.pass(100_000);
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
      time.pass(20_000);
      soon(take(store, Posture.OPEN));
    }
    assertThat(guard.available()).as("however the last decisions end").isTrue();
  }

  @Test
  void fewOrBriefFailuresDoNotLoseAStore() throws Exception {
    moody.failsWith(new StoreException(Kind.ERROR, "odd"));
    for (int i = 0; i < 100; i++) {
      soon(take(store, Posture.OPEN));
    }
    assertThat(guard.available()).as("many in no time").isTrue();
    moody.answers();
    soon(take(store, Posture.OPEN));
    moody.failsWith(new StoreException(Kind.ERROR, "odd"));
    for (int i = 0; i < 4; i++) {
      time.pass(1_000_000);
      soon(take(store, Posture.OPEN));
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
    guard = new Guard(time, D, 100, ears, time);
    store = guard.over(moody);
    lose();
    time.pass(100_000);
    moody.isSilent();
    CompletableFuture<Outcome[]> probe = take(store, Posture.OPEN);
    time.pass(100_000);
    assertThat(soon(probe).degraded()).as("the watch goes on").isTrue();
    moody.answers();
    assertThat(soon(take(store, Posture.CLOSED)).degraded()).isFalse();
    guard.corrupt(3);
    assertThat(ears.heard()).contains("corrupt 3").anyMatch(word -> word.startsWith("found"));
  }

  private void lose() throws Exception {
    moody.failsWith(new StoreException(Kind.ERROR, "gone"));
    for (int i = 0; i < 6; i++) {
      soon(take(store, Posture.OPEN));
      time.pass(20_000);
    }
    assertThat(guard.available()).isFalse();
    assertThat(ears.heard()).contains("lost gone");
  }
}
