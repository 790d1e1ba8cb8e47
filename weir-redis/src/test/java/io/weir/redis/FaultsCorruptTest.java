package io.weir.redis;

import static io.weir.redis.Asking.LONG;
import static io.weir.redis.Asking.PATIENT;
import static io.weir.redis.Asking.budget;
import static io.weir.redis.Asking.joined;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Algorithms;
import io.weir.rule.Posture;
import io.weir.rule.Rule;
import io.weir.store.StoreListener;
import io.weir.testkit.Soon;
import io.weir.testkit.redis.RedisProcess;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server that holds what Weir cannot have written. */
@Tag("slow")
class FaultsCorruptTest {
  private static RedisProcess redis;

  private int callers;

  @BeforeAll
  static void start() {
    redis = RedisProcess.start();
  }

  @AfterAll
  static void stop() {
    redis.close();
  }

  @BeforeEach
  void clear() {
    redis.command("FLUSHALL");
  }

  @ParameterizedTest(name = "A10 corrupt state, {0} pages")
  @ValueSource(ints = {0, 1 << 18})
  void a10_notAState(int pages) {
    Heard heard = new Heard();
    try (RedisStore store = store(pages, heard)) {
      List<byte[]> values =
          List.of(
              "nan".getBytes(US_ASCII),
              "-5".getBytes(US_ASCII),
              "1e999".getBytes(US_ASCII),
              new byte[0],
              bytes(1, 40),
              bytes(2, 15),
              bytes(3, 5),
              "fourteen chars".getBytes(US_ASCII),
              new byte[] {(byte) Planted.MORE},
              Arrays.copyOf(new byte[] {(byte) Planted.WIDE}, 14),
              Arrays.copyOf(new byte[] {(byte) Planted.LOG}, 16),
              Arrays.copyOf(new byte[] {(byte) Planted.LOG}, 18));
      for (byte[] value : values) {
        String what = "counted: " + Arrays.toString(value);
        Soon.until(LONG, what, () -> isMet(store, value));
      }
      assertThat(heard.corrupt.get()).isEqualTo(store.health().corrupt());
    }
  }

  @ParameterizedTest(name = "A10 something else under the key, {0} pages")
  @ValueSource(ints = {0, 1 << 18})
  void a10_notAShelf(int pages) {
    Heard heard = new Heard();
    try (RedisStore store = store(pages, heard)) {
      List<String[]> others =
          List.of(
              new String[] {"RPUSH", Planted.SHELF, "a", "b"},
              new String[] {"SET", Planted.SHELF, "nan"},
              new String[] {"SADD", Planted.SHELF, "x"});
      for (int i = 0; i < others.size(); i++) {
        Rule rule = budget("a10-shelf-" + i, 10, Posture.CLOSED);
        assertThat(Asking.admitted(store, rule, "x", 4)).isEqualTo(4);
        redis.command("DEL", Planted.SHELF);
        redis.command(others.get(i));
        assertThat(Asking.admitted(store, rule, "x", 20)).isEqualTo(10);
        assertThat(store.health().corrupt()).isEqualTo(i + 1);
        assertThat(redis.command("PTTL", Planted.SHELF)).asString().doesNotStartWith("-");
      }
      assertThat(heard.corrupt.get()).isEqualTo(others.size());
    }
  }

  @ParameterizedTest(name = "A10 states that could be but are not, {0} pages")
  @ValueSource(ints = {0, 1 << 18})
  void a10_plausibleStates(int pages) {
    try (RedisStore store = store(pages, StoreListener.NONE)) {
      for (Algorithm algorithm : Algorithms.all()) {
        Rule rule =
            Rule.named("a10-" + algorithm.name())
                .algorithm(algorithm)
                .limit("20/second")
                .onStoreFailure(Posture.CLOSED)
                .build();
        for (int kind : Planted.KINDS) {
          String caller = "caller " + kind;
          Soon.until(
              LONG,
              "a state, not yet swept",
              () -> {
                assertThat(Asking.take(store, rule, caller, 1).degraded()).isFalse();
                return Planted.state(redis, kind, pages == 0 ? 0 : 6);
              });
          Soon.until(
              Duration.ofSeconds(5),
              algorithm.name() + " admits again after a state of kind " + kind,
              () -> Asking.take(store, rule, caller, 1).fits());
          long began = Load.now();
          int admitted = Asking.admitted(store, rule, caller, 400);
          long refilled = 20 * (Load.now() - began) / 1_000_000;
          assertThat(admitted)
              .as(algorithm.name() + " mints nothing after " + kind)
              .isLessThanOrEqualTo((int) (3 * 20 + refilled));
          redis.command("DEL", Planted.SHELF);
        }
      }
      assertThat(store.health().degraded()).isZero();
    }
  }

  @Test
  @DisplayName("A10 a listener that fails on hearing of it harms nobody")
  void a10_listenerFails() {
    AtomicInteger heard = new AtomicInteger();
    StoreListener failing =
        new StoreListener() {
          @Override
          public void corrupt(int states) {
            heard.addAndGet(states);
            throw new IllegalStateException("a bug of the listener's");
          }
        };
    try (RedisStore store = store(8, failing)) {
      Soon.until(LONG, "counted", () -> isMet(store, "nan".getBytes(US_ASCII)));
      assertThat(heard.get()).isEqualTo(1);
    }
  }

  /**
   * Plants a value in place of a new caller's state, who gets one fresh budget; whether a decision
   * met it and it was counted, before it was swept.
   */
  private boolean isMet(RedisStore store, byte[] value) {
    Rule rule = budget("a10", 10, Posture.CLOSED);
    String caller = "caller " + ++callers;
    redis.command("DEL", Planted.SHELF);
    assertThat(Asking.admitted(store, rule, caller, 4)).isEqualTo(4);
    long before = store.health().corrupt();
    Planted.value(redis, value);
    assertThat(Asking.admitted(store, rule, caller, 20)).as("one fresh budget").isEqualTo(10);
    assertThat(Asking.used(store, rule, caller)).isEqualTo(10);
    long counted = store.health().corrupt() - before;
    assertThat(counted).isLessThanOrEqualTo(1);
    return counted == 1;
  }

  private static RedisStore store(int pages, StoreListener listener) {
    return joined(RedisStore.at(redis.uri()).deadline(PATIENT).pages(pages).listener(listener));
  }

  private static byte[] bytes(long seed, int size) {
    byte[] bytes = new byte[size];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }
}
