package io.weir.redis;

import static io.weir.redis.RedisStoreTestSupport.ACL_WITHOUT_FUNCTIONS;
import static io.weir.redis.RedisStoreTestSupport.AWAIT_TIMEOUT;
import static io.weir.redis.RedisStoreTestSupport.FAULT_DEADLINE;
import static io.weir.redis.RedisStoreTestSupport.LONG_DEADLINE;
import static io.weir.redis.RedisStoreTestSupport.budget;
import static io.weir.redis.RedisStoreTestSupport.claim;
import static io.weir.redis.RedisStoreTestSupport.openAndAwait;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.internal.rule.Claim;
import io.weir.rule.Rule;
import io.weir.rule.StoreFailureFallback;
import io.weir.testkit.Await;
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

/** A server that crashes, restarts empty, or forgets the script. */
@Tag("slow")
class RedisRestartTest {

  @ParameterizedTest(name = "crash and empty restart; functions: {0}")
  @ValueSource(booleans = {true, false})
  void emptyRestart_restoresScriptAndExactCounting(boolean functions) {
    Rule rule = budget("a4", 400_000, StoreFailureFallback.CLOSED);
    Rule after = budget("a4-after", 50, StoreFailureFallback.CLOSED);
    try (RedisProcess redis = RedisProcess.start(ACL_WITHOUT_FUNCTIONS);
        RedisStore store =
            openAndAwait(RedisStore.at(uri(redis, functions)).deadline(FAULT_DEADLINE));
        RedisStore longDeadlineStore =
            openAndAwait(RedisStore.at(uri(redis, functions)).deadline(LONG_DEADLINE));
        RedisLoadGenerator load =
            RedisLoadGenerator.start(
                store,
                8,
                i ->
                    new Claim[] {
                      claim(store, rule, "all", 1), claim(store, rule, "caller " + i, 1)
                    })) {
      Await.until(AWAIT_TIMEOUT, "a steady load", () -> load.answeredInARow() > 1000);
      assertThat(libraries(redis)).hasSize(functions ? 1 : 0);

      redis.kill();
      Await.until(AWAIT_TIMEOUT, "signals", () -> !store.health().available());
      redis.restart();
      Await.until(AWAIT_TIMEOUT, "works again", () -> load.answeredInARow() > 200);

      assertThat(load.stop()).isNotEmpty();
      Await.until(
          AWAIT_TIMEOUT,
          "the store with the long deadline",
          () -> !RedisStoreTestSupport.peek(longDeadlineStore, after, "x").degraded());
      assertThat(RedisStoreTestSupport.countAdmitted(longDeadlineStore, after, "x", 60))
          .isEqualTo(50);
      assertThat(libraries(redis)).hasSize(functions ? 1 : 0);
      List<String> keys = keys(redis);
      assertThat(keys).contains("weir:setup", "weir:{0}");
      assertThat(keys).allSatisfy(key -> assertThat(ttl(redis, key)).isPositive());
    }
  }

  @Test
  @DisplayName("crash and empty restart: healthy again without requests")
  void emptyRestart_isHealthyAgainWithoutRequests() {
    Rule rule = budget("a4", 10, StoreFailureFallback.CLOSED);
    RecordingStoreListener events = new RecordingStoreListener();
    try (RedisProcess redis = RedisProcess.start();
        RedisStore store =
            openAndAwait(RedisStore.at(redis.uri()).deadline(FAULT_DEADLINE).listener(events))) {
      redis.kill();
      Await.until(
          AWAIT_TIMEOUT,
          "lost",
          () ->
              !RedisStoreTestSupport.take(store, rule, "x", 1).admitted()
                  && events.lostCount.get() > 0);
      redis.restart();
      Await.until(AWAIT_TIMEOUT, "healthy again", () -> store.health().available());
    }
  }

  @ParameterizedTest(name = "script cache flushed every 10 ms; functions: {0}")
  @ValueSource(booleans = {true, false})
  void scriptCacheFlush_losesNoDecision(boolean functions) throws InterruptedException {
    int limit = 15_000;
    Rule rule = budget("a5", limit, StoreFailureFallback.OPEN);
    AtomicInteger flushes = new AtomicInteger();
    ScheduledExecutorService flusher = Executors.newSingleThreadScheduledExecutor();
    try (RedisProcess redis = RedisProcess.start(ACL_WITHOUT_FUNCTIONS);
        RedisStore store =
            openAndAwait(RedisStore.at(uri(redis, functions)).deadline(LONG_DEADLINE))) {
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
                    admitted.addAndGet(
                        RedisStoreTestSupport.take(store, rule, "x", 1).admitted() ? 1 : 0);
                  }
                });
        threads.add(thread);
        thread.start();
      }
      for (Thread thread : threads) {
        thread.join();
      }
      assertThat(flushes.get()).as("script cache flushes").isGreaterThan(5);
      assertThat(store.health().degradedDecisions()).isZero();
      assertThat(admitted.get()).isEqualTo(limit);
      assertThat(RedisStoreTestSupport.usedPermits(store, rule, "x")).isEqualTo(limit);
    } finally {
      flusher.shutdownNow();
    }
  }

  @Test
  @DisplayName("local fallback: three nodes without a store admit at most three shares")
  void threeNodesWithoutStore_admitAtMostThreeLocalShares() {
    Rule bucket = budget("a14", 1000, StoreFailureFallback.local(10));
    Rule window =
        Rule.named("a14-window")
            .algorithm("fixed-window")
            .limit("999/300d") // a tenth of 999 is rounded down
            .onStoreFailure(StoreFailureFallback.local(10))
            .build();
    List<RedisStore> nodes = new ArrayList<>();
    try (RedisProcess redis = RedisProcess.start()) {
      for (int i = 0; i < 3; i++) {
        nodes.add(openAndAwait(RedisStore.at(redis.uri()).deadline(FAULT_DEADLINE)));
        assertThat(RedisStoreTestSupport.usedPermits(nodes.get(i), bucket, "x")).isZero();
      }
      redis.kill();
      assertThat(admittedWithoutStore(nodes, bucket)).isEqualTo(3 * 100);
      assertThat(admittedWithoutStore(nodes, window)).isEqualTo(3 * 99);
    } finally {
      nodes.forEach(RedisStore::close);
    }
  }

  private static int admittedWithoutStore(List<RedisStore> nodes, Rule rule) {
    int admitted = 0;
    for (RedisStore node : nodes) {
      for (int i = 0; i < 500; i++) {
        var outcome = RedisStoreTestSupport.take(node, rule, "x", 1);
        assertThat(outcome.degraded()).isTrue();
        admitted += outcome.admitted() ? 1 : 0;
      }
    }
    return admitted;
  }

  private static String uri(RedisProcess redis, boolean functions) {
    return functions ? redis.uri() : RedisStoreTestSupport.uriWithoutFunctions(redis);
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
