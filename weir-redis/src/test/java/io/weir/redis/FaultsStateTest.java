package io.weir.redis;

import static io.weir.redis.Asking.LONG;
import static io.weir.redis.Asking.PATIENT;
import static io.weir.redis.Asking.WITHOUT_FUNCTIONS;
import static io.weir.redis.Asking.budget;
import static io.weir.redis.Asking.claim;
import static io.weir.redis.Asking.joined;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.redis.Load.Sample;
import io.weir.rule.Claim;
import io.weir.rule.Posture;
import io.weir.rule.Rule;
import io.weir.testkit.Soon;
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

/** What a server holds, or has no room to hold. */
@Tag("slow")
class FaultsStateTest {
  private static final String SHELF = "weir:{0}";

  private static RedisProcess redis;

  @BeforeAll
  static void start() {
    redis = RedisProcess.start(WITHOUT_FUNCTIONS);
  }

  @AfterAll
  static void stop() {
    redis.close();
  }

  @BeforeEach
  void clear() {
    redis.command("FLUSHALL");
  }

  @ParameterizedTest(name = "A9 memory full; functions: {0}")
  @ValueSource(booleans = {true, false})
  void a9_memoryFull(boolean functions) {
    Rule one = budget("a9-one", 400_000, Posture.CLOSED);
    Rule two = budget("a9-two", 300_000, Posture.CLOSED);
    String uri = functions ? redis.uri() : Asking.withoutFunctions(redis);
    try (RedisStore store = joined(RedisStore.at(uri).deadline(PATIENT));
        Load load =
            Load.on(
                store,
                8,
                i ->
                    new Claim[] {
                      claim(store, one, "all", 1), claim(store, two, "all", 1),
                    })) {
      for (int round = 0; round < 3; round++) {
        Soon.until(LONG, "admissions", () -> load.inARow() > 200);
        int before = load.degraded();
        redis.command("CONFIG", "SET", "maxmemory", "1");
        Soon.until(LONG, "the posture", () -> load.degraded() > before + 100);
        redis.command("CONFIG", "SET", "maxmemory", "0");
      }
      Soon.until(LONG, "admissions", () -> load.inARow() > 200);
      List<Sample> all = load.stop();
      assertThat(all).noneMatch(s -> s.degraded() && s.fits());
      long admitted = all.stream().filter(Sample::admitted).count();
      assertThat(Asking.used(store, one, "all")).isEqualTo(admitted);
      assertThat(Asking.used(store, two, "all")).isEqualTo(admitted);
    } finally {
      redis.command("CONFIG", "SET", "maxmemory", "0");
    }
  }

  @Test
  @DisplayName("A11 key without TTL: restored by whatever is asked next")
  void a11_persisted() {
    Rule rule = budget("a11", 10, Posture.CLOSED);
    try (RedisStore store = joined(RedisStore.at(redis.uri()).deadline(PATIENT))) {
      assertThat(Asking.take(store, rule, "x", 1).fits()).isTrue();
      persist();
      assertThat(Asking.take(store, rule, "x", 1).fits()).isTrue();
      assertThat(ttl()).as("after an admission").isPositive();
      persist();
      assertThat(Asking.take(store, rule, "x", 9).fits()).isFalse();
      assertThat(ttl()).as("after a refusal").isPositive();
      persist();
      assertThat(Asking.peek(store, rule, "x").remaining()).isEqualTo(8);
      assertThat(ttl()).as("after a peek").isPositive();
    }
  }

  private static void persist() {
    assertThat(redis.command("PERSIST", SHELF)).isEqualTo(1L);
    assertThat(ttl()).isEqualTo(-1);
  }

  private static long ttl() {
    return Long.parseLong(String.valueOf(redis.command("PTTL", SHELF)));
  }
}
