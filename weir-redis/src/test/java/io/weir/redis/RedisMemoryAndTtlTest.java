package io.weir.redis;

import static io.weir.redis.RedisStoreTestSupport.ACL_WITHOUT_FUNCTIONS;
import static io.weir.redis.RedisStoreTestSupport.AWAIT_TIMEOUT;
import static io.weir.redis.RedisStoreTestSupport.LONG_DEADLINE;
import static io.weir.redis.RedisStoreTestSupport.budget;
import static io.weir.redis.RedisStoreTestSupport.claim;
import static io.weir.redis.RedisStoreTestSupport.openAndAwait;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.internal.rule.Claim;
import io.weir.redis.RedisLoadGenerator.RedisLoadSample;
import io.weir.rule.Rule;
import io.weir.rule.StoreFailureFallback;
import io.weir.testkit.Await;
import io.weir.testkit.redis.RedisProcess;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server without free memory, and keys that have lost their expiry. */
@Tag("slow")
class RedisMemoryAndTtlTest {
  private static final String SHARD_KEY = "weir:{0}";

  private static RedisProcess redis;

  @BeforeAll
  static void start() {
    redis = RedisProcess.start(ACL_WITHOUT_FUNCTIONS);
  }

  @AfterAll
  static void stop() {
    redis.close();
  }

  @BeforeEach
  void clear() {
    redis.command("FLUSHALL");
  }

  @ParameterizedTest(name = "memory full; functions: {0}")
  @ValueSource(booleans = {true, false})
  void fullMemory_fallsBackAndStaysExact(boolean functions) {
    Rule one = budget("a9-one", 400_000, StoreFailureFallback.CLOSED);
    Rule two = budget("a9-two", 300_000, StoreFailureFallback.CLOSED);
    String uri = functions ? redis.uri() : RedisStoreTestSupport.uriWithoutFunctions(redis);
    try (RedisStore store = openAndAwait(RedisStore.at(uri).deadline(LONG_DEADLINE));
        RedisLoadGenerator load =
            RedisLoadGenerator.start(
                store,
                8,
                i ->
                    new Claim[] {
                      claim(store, one, "all", 1), claim(store, two, "all", 1),
                    })) {
      for (int round = 0; round < 3; round++) {
        Await.until(AWAIT_TIMEOUT, "admissions", () -> load.answeredInARow() > 200);
        int before = load.degradedCount();
        redis.command("CONFIG", "SET", "maxmemory", "1");
        Await.until(AWAIT_TIMEOUT, "fallback decisions", () -> load.degradedCount() > before + 100);
        redis.command("CONFIG", "SET", "maxmemory", "0");
      }
      Await.until(AWAIT_TIMEOUT, "admissions", () -> load.answeredInARow() > 200);
      List<RedisLoadSample> samples = load.stop();
      assertThat(samples).noneMatch(s -> s.degraded() && s.withinLimits());
      long admitted = samples.stream().filter(RedisLoadSample::admitted).count();
      assertThat(RedisStoreTestSupport.usedPermits(store, one, "all")).isEqualTo(admitted);
      assertThat(RedisStoreTestSupport.usedPermits(store, two, "all")).isEqualTo(admitted);
    } finally {
      redis.command("CONFIG", "SET", "maxmemory", "0");
    }
  }

  @Test
  @DisplayName("key without TTL: the next call restores the TTL")
  void keyWithoutTtl_getsTtlWithNextCall() {
    Rule rule = budget("a11", 10, StoreFailureFallback.CLOSED);
    try (RedisStore store = openAndAwait(RedisStore.at(redis.uri()).deadline(LONG_DEADLINE))) {
      assertThat(RedisStoreTestSupport.take(store, rule, "x", 1).admitted()).isTrue();
      removeTtl();
      assertThat(RedisStoreTestSupport.take(store, rule, "x", 1).admitted()).isTrue();
      assertThat(ttl()).as("after an admission").isPositive();
      removeTtl();
      assertThat(RedisStoreTestSupport.take(store, rule, "x", 9).admitted()).isFalse();
      assertThat(ttl()).as("after a refusal").isPositive();
      removeTtl();
      assertThat(RedisStoreTestSupport.peek(store, rule, "x").remaining()).isEqualTo(8);
      assertThat(ttl()).as("after a peek").isPositive();
    }
  }

  private static void removeTtl() {
    assertThat(redis.command("PERSIST", SHARD_KEY)).isEqualTo(1L);
    assertThat(ttl()).isEqualTo(-1);
  }

  private static long ttl() {
    return Long.parseLong(String.valueOf(redis.command("PTTL", SHARD_KEY)));
  }
}
