package io.weir.redis;

import static io.weir.redis.Asking.D;
import static io.weir.redis.Asking.LONG;
import static io.weir.redis.Asking.PATIENT;
import static io.weir.redis.Asking.WITHOUT_FUNCTIONS;
import static io.weir.redis.Asking.budget;
import static io.weir.redis.Asking.claim;
import static io.weir.redis.Asking.joined;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rule.Claim;
import io.weir.rule.Posture;
import io.weir.rule.Rule;
import io.weir.testkit.Soon;
import io.weir.testkit.redis.RedisProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server that is gone, comes back empty, or forgets the script. */
@Tag("slow")
class FaultsRestartTest {

  @ParameterizedTest(name = "A4 crash, empty restart; functions: {0}")
  @ValueSource(booleans = {true, false})
  void a4_killedAndStartedEmpty(boolean functions) {
    Rule rule = budget("a4", 400_000, Posture.CLOSED);
    Rule after = budget("a4-after", 50, Posture.CLOSED);
    try (RedisProcess redis = RedisProcess.start(WITHOUT_FUNCTIONS);
        RedisStore store = joined(RedisStore.at(uri(redis, functions)).deadline(D));
        RedisStore patient = joined(RedisStore.at(uri(redis, functions)).deadline(PATIENT));
        Load load =
            Load.on(
                store,
                8,
                i ->
                    new Claim[] {
                      claim(store, rule, "all", 1), claim(store, rule, "caller " + i, 1)
                    })) {
      Soon.until(LONG, "a steady load", () -> load.inARow() > 1000);
      assertThat(libraries(redis)).hasSize(functions ? 1 : 0);

      redis.kill();
      Soon.until(LONG, "signals", () -> !store.health().available());
      redis.restart();
      Soon.until(LONG, "works again", () -> load.inARow() > 200);

      assertThat(load.stop()).isNotEmpty();
      Soon.until(LONG, "the other too", () -> !Asking.peek(patient, after, "x").degraded());
      assertThat(Asking.admitted(patient, after, "x", 60)).isEqualTo(50);
      assertThat(libraries(redis)).hasSize(functions ? 1 : 0);
      List<String> keys = keys(redis);
      assertThat(keys).contains("weir:setup", "weir:{0}");
      assertThat(keys).allSatisfy(key -> assertThat(ttl(redis, key)).isPositive());
    }
  }

  @Test
  @DisplayName("A4 crash, empty restart: healthy again though nobody asks")
  void a4_foundThoughNobodyAsks() {
    Rule rule = budget("a4", 10, Posture.CLOSED);
    Heard heard = new Heard();
    try (RedisProcess redis = RedisProcess.start();
        RedisStore store = joined(RedisStore.at(redis.uri()).deadline(D).listener(heard))) {
      redis.kill();
      Soon.until(
          LONG, "lost", () -> !Asking.take(store, rule, "x", 1).fits() && heard.lost.get() > 0);
      redis.restart();
      Soon.until(LONG, "healthy again", () -> store.health().available());
    }
  }

  @ParameterizedTest(name = "A5 script cache lost every 10 ms; functions: {0}")
  @ValueSource(booleans = {true, false})
  void a5_scriptsForgotten(boolean functions) throws InterruptedException {
    int limit = 15_000;
    Rule rule = budget("a5", limit, Posture.OPEN);
    AtomicInteger flushes = new AtomicInteger();
    ScheduledExecutorService flusher = Executors.newSingleThreadScheduledExecutor();
    try (RedisProcess redis = RedisProcess.start(WITHOUT_FUNCTIONS);
        RedisStore store = joined(RedisStore.at(uri(redis, functions)).deadline(PATIENT))) {
      var unused =
          flusher.scheduleWithFixedDelay(
              () -> {
                redis.command("SCRIPT", "FLUSH");
                redis.command("FUNCTION", "FLUSH");
                flushes.incrementAndGet();
              },
              0,
              10,
              TimeUnit.MILLISECONDS);
      AtomicInteger left = new AtomicInteger(20_000);
      AtomicInteger admitted = new AtomicInteger();
      List<Thread> threads = new ArrayList<>();
      for (int t = 0; t < 16; t++) {
        Thread thread =
            new Thread(
                () -> {
                  while (left.getAndDecrement() > 0) {
                    admitted.addAndGet(Asking.take(store, rule, "x", 1).fits() ? 1 : 0);
                  }
                });
        threads.add(thread);
        thread.start();
      }
      for (Thread thread : threads) {
        thread.join();
      }
      assertThat(flushes.get()).as("times forgotten").isGreaterThan(5);
      assertThat(store.health().degraded()).isZero();
      assertThat(admitted.get()).isEqualTo(limit);
      assertThat(Asking.used(store, rule, "x")).isEqualTo(limit);
    } finally {
      flusher.shutdownNow();
    }
  }

  @Test
  @DisplayName("A14 local posture: three nodes without a store admit at most three shares")
  void a14_threeNodesAlone() {
    Rule bucket = budget("a14", 1000, Posture.local(10));
    Rule window =
        Rule.named("a14-window")
            .algorithm("fixed-window")
            .limit("999/300d") // a tenth of it is rounded down
            .onStoreFailure(Posture.local(10))
            .build();
    List<RedisStore> nodes = new ArrayList<>();
    try (RedisProcess redis = RedisProcess.start()) {
      for (int i = 0; i < 3; i++) {
        nodes.add(joined(RedisStore.at(redis.uri()).deadline(D)));
        assertThat(Asking.used(nodes.get(i), bucket, "x")).isZero();
      }
      redis.kill();
      assertThat(alone(nodes, bucket)).isEqualTo(3 * 100);
      assertThat(alone(nodes, window)).isEqualTo(3 * 99);
    } finally {
      nodes.forEach(RedisStore::close);
    }
  }

  private static int alone(List<RedisStore> nodes, Rule rule) {
    int admitted = 0;
    for (RedisStore node : nodes) {
      for (int i = 0; i < 500; i++) {
        var outcome = Asking.take(node, rule, "x", 1);
        assertThat(outcome.degraded()).isTrue();
        admitted += outcome.fits() ? 1 : 0;
      }
    }
    return admitted;
  }

  private static String uri(RedisProcess redis, boolean functions) {
    return functions ? redis.uri() : Asking.withoutFunctions(redis);
  }

  private static List<?> libraries(RedisProcess redis) {
    return redis.command("FUNCTION", "LIST") instanceof List<?> list ? list : List.of();
  }

  private static List<String> keys(RedisProcess redis) {
    List<String> keys = new ArrayList<>();
    String cursor = "0";
    do {
      List<?> page = (List<?>) redis.command("SCAN", cursor, "COUNT", "100");
      cursor = String.valueOf(page == null ? "0" : page.get(0));
      if (page != null && page.get(1) instanceof List<?> some) {
        some.forEach(key -> keys.add(String.valueOf(key)));
      }
    } while (!cursor.equals("0"));
    return keys;
  }

  private static long ttl(RedisProcess redis, String key) {
    return Long.parseLong(String.valueOf(redis.command("PTTL", key)));
  }
}
