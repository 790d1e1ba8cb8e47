package io.weir.redis;

import static io.weir.redis.RedisStoreTestSupport.AWAIT_TIMEOUT;
import static io.weir.redis.RedisStoreTestSupport.LONG_DEADLINE;
import static io.weir.redis.RedisStoreTestSupport.budget;
import static io.weir.redis.RedisStoreTestSupport.openAndAwait;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.internal.algorithm.Algorithm;
import io.weir.internal.algorithm.Algorithms;
import io.weir.rule.Rule;
import io.weir.rule.StoreFailureFallback;
import io.weir.store.StoreListener;
import io.weir.testkit.Await;
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

/** A server that holds data which Weir cannot have written. */
@Tag("slow")
class CorruptStateTest {
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

  @ParameterizedTest(name = "corrupt state, {0} packed buckets")
  @ValueSource(ints = {0, 1 << 18})
  void unreadableState_isCountedAndReplacedByFreshBudget(int packedBuckets) {
    RecordingStoreListener events = new RecordingStoreListener();
    try (RedisStore store = store(packedBuckets, events)) {
      List<byte[]> values =
          List.of(
              "nan".getBytes(US_ASCII),
              "-5".getBytes(US_ASCII),
              "1e999".getBytes(US_ASCII),
              new byte[0],
              randomBytes(1, 40),
              randomBytes(2, 15),
              randomBytes(3, 5),
              "fourteen chars".getBytes(US_ASCII),
              new byte[] {(byte) RedisStateInjector.KIND_SMALL_PREVIOUS},
              Arrays.copyOf(new byte[] {(byte) RedisStateInjector.KIND_WIDE}, 14),
              Arrays.copyOf(new byte[] {(byte) RedisStateInjector.KIND_LOG}, 16),
              Arrays.copyOf(new byte[] {(byte) RedisStateInjector.KIND_LOG}, 18));
      for (byte[] value : values) {
        String description = "counted as corrupt: " + Arrays.toString(value);
        Await.until(AWAIT_TIMEOUT, description, () -> isCountedAsCorrupt(store, value));
      }
      assertThat(events.corruptStates.get()).isEqualTo(store.health().corruptStates());
    }
  }

  @ParameterizedTest(name = "key of another type, {0} packed buckets")
  @ValueSource(ints = {0, 1 << 18})
  void keyOfOtherType_isReplacedAndCounted(int packedBuckets) {
    RecordingStoreListener events = new RecordingStoreListener();
    try (RedisStore store = store(packedBuckets, events)) {
      List<String[]> others =
          List.of(
              new String[] {"RPUSH", RedisStateInjector.SHARD_KEY, "a", "b"},
              new String[] {"SET", RedisStateInjector.SHARD_KEY, "nan"},
              new String[] {"SADD", RedisStateInjector.SHARD_KEY, "x"});
      for (int i = 0; i < others.size(); i++) {
        Rule rule = budget("a10-shelf-" + i, 10, StoreFailureFallback.CLOSED);
        assertThat(RedisStoreTestSupport.countAdmitted(store, rule, "x", 4)).isEqualTo(4);
        redis.command("DEL", RedisStateInjector.SHARD_KEY);
        redis.command(others.get(i));
        assertThat(RedisStoreTestSupport.countAdmitted(store, rule, "x", 20)).isEqualTo(10);
        assertThat(store.health().corruptStates()).isEqualTo(i + 1);
        assertThat(redis.command("PTTL", RedisStateInjector.SHARD_KEY))
            .asString()
            .doesNotStartWith("-");
      }
      assertThat(events.corruptStates.get()).isEqualTo(others.size());
    }
  }

  @ParameterizedTest(name = "plausible but foreign states, {0} packed buckets")
  @ValueSource(ints = {0, 1 << 18})
  void plausibleForeignState_neverMintsPermits(int packedBuckets) {
    try (RedisStore store = store(packedBuckets, StoreListener.NONE)) {
      for (Algorithm algorithm : Algorithms.all()) {
        Rule rule =
            Rule.named("a10-" + algorithm.name())
                .algorithm(algorithm.name())
                .limit("20/second")
                .onStoreFailure(StoreFailureFallback.CLOSED)
                .build();
        for (int kind : RedisStateInjector.ALL_KINDS) {
          String caller = "caller " + kind;
          Await.until(
              AWAIT_TIMEOUT,
              "a state that is not yet swept",
              () -> {
                assertThat(RedisStoreTestSupport.take(store, rule, caller, 1).degraded()).isFalse();
                return RedisStateInjector.injectState(redis, kind, packedBuckets == 0 ? 0 : 6);
              });
          Await.until(
              Duration.ofSeconds(5),
              algorithm.name() + " admits again after a state of kind " + kind,
              () -> RedisStoreTestSupport.take(store, rule, caller, 1).admitted());
          long startMicros = RedisLoadGenerator.nowMicros();
          int admitted = RedisStoreTestSupport.countAdmitted(store, rule, caller, 400);
          long refilled = 20 * (RedisLoadGenerator.nowMicros() - startMicros) / 1_000_000;
          assertThat(admitted)
              .as(algorithm.name() + " mints no permits after a state of kind " + kind)
              .isLessThanOrEqualTo((int) (3 * 20 + refilled));
          redis.command("DEL", RedisStateInjector.SHARD_KEY);
        }
      }
      assertThat(store.health().degradedDecisions()).isZero();
    }
  }

  @Test
  @DisplayName("a listener that throws affects no decision")
  void failingListener_affectsNoDecision() {
    AtomicInteger events = new AtomicInteger();
    StoreListener failing =
        new StoreListener() {
          @Override
          public void onCorruptStates(int states) {
            events.addAndGet(states);
            throw new IllegalStateException("bug of the listener");
          }
        };
    try (RedisStore store = store(8, failing)) {
      Await.until(
          AWAIT_TIMEOUT, "counted", () -> isCountedAsCorrupt(store, "nan".getBytes(US_ASCII)));
      assertThat(events.get()).isEqualTo(1);
    }
  }

  /**
   * Replaces the state of a new caller by a value and checks that the caller gets one fresh budget;
   * returns whether a decision read the value and counted it as corrupt, before it was swept.
   */
  private boolean isCountedAsCorrupt(RedisStore store, byte[] value) {
    Rule rule = budget("a10", 10, StoreFailureFallback.CLOSED);
    String caller = "caller " + ++callers;
    redis.command("DEL", RedisStateInjector.SHARD_KEY);
    assertThat(RedisStoreTestSupport.countAdmitted(store, rule, caller, 4)).isEqualTo(4);
    long before = store.health().corruptStates();
    RedisStateInjector.injectValue(redis, value);
    assertThat(RedisStoreTestSupport.countAdmitted(store, rule, caller, 20))
        .as("one fresh budget")
        .isEqualTo(10);
    assertThat(RedisStoreTestSupport.usedPermits(store, rule, caller)).isEqualTo(10);
    long counted = store.health().corruptStates() - before;
    assertThat(counted).isLessThanOrEqualTo(1);
    return counted == 1;
  }

  private static RedisStore store(int packedBuckets, StoreListener listener) {
    return openAndAwait(
        RedisStore.at(redis.uri())
            .deadline(LONG_DEADLINE)
            .packedBuckets(packedBuckets)
            .listener(listener));
  }

  private static byte[] randomBytes(long seed, int size) {
    byte[] bytes = new byte[size];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }
}
