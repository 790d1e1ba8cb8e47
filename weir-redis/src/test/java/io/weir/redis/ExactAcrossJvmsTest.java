package io.weir.redis;

import static io.weir.redis.RedisStoreTestSupport.LONG_DEADLINE;
import static io.weir.redis.RedisStoreTestSupport.budget;
import static io.weir.redis.RedisStoreTestSupport.claim;
import static io.weir.redis.RedisStoreTestSupport.openAndAwait;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.internal.rule.Claim;
import io.weir.internal.store.ClaimOutcome;
import io.weir.rule.Rule;
import io.weir.rule.StoreFailureFallback;
import io.weir.store.StoreOperation;
import io.weir.testkit.redis.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many nodes share one budget exactly, to the permit. */
@Tag("slow")
class ExactAcrossJvmsTest {
  private static final int NODES = 4;
  private static final int THREADS = 64;
  private static final Duration DEADLINE = Duration.ofSeconds(20);

  @Test
  @DisplayName("4 JVMs with 64 threads each admit exactly 1000 permits")
  void fourJvmsOnOneStore_admitExactlyTheLimit() {
    List<RedisTestNodeProcess> nodes = new ArrayList<>();
    try (RedisProcess redis = RedisProcess.start()) {
      for (int i = 0; i < NODES; i++) {
        nodes.add(RedisTestNodeProcess.start(redis.uri(), DEADLINE, Map.of()));
      }
      nodes.forEach(node -> assertThat(node.readLine()).isEqualTo("ready"));

      String windowLetters = runOnAll(nodes, "take fixed-window 1000/300d x 1280 " + THREADS);
      assertThat(windowLetters).hasSize(NODES * 1280).doesNotContain("d");
      assertThat(countAdmittedLetters(windowLetters)).isEqualTo(1000);

      long startMicros = serverTimeMicros(redis);
      String bucketLetters = runOnAll(nodes, "take token-bucket 50/second+1000 x 1280 " + THREADS);
      long elapsedMicros = serverTimeMicros(redis) - startMicros;
      assertThat(bucketLetters).hasSize(NODES * 1280).doesNotContain("d");
      assertThat(countAdmittedLetters(bucketLetters))
          .isBetween(1000L, 1000 + 50 * elapsedMicros / 1_000_000 + 1);
    } finally {
      nodes.forEach(RedisTestNodeProcess::close);
    }
  }

  @Test
  @DisplayName("256 parallel first requests get exactly the burst of each fresh key")
  void parallelFirstUseOfKey_admitsExactlyTheBurst() throws Exception {
    Rule rule = budget("c2", 100, StoreFailureFallback.CLOSED);
    ExecutorService pool = Executors.newFixedThreadPool(256);
    try (RedisProcess redis = RedisProcess.start();
        RedisStore one = openAndAwait(RedisStore.at(redis.uri()).deadline(LONG_DEADLINE));
        RedisStore two = openAndAwait(RedisStore.at(redis.uri()).deadline(LONG_DEADLINE))) {
      for (int key = 0; key < 8; key++) {
        String caller = "key " + key;
        CyclicBarrier start = new CyclicBarrier(256);
        List<Callable<ClaimOutcome>> tasks = new ArrayList<>();
        for (int i = 0; i < 256; i++) {
          RedisStore store = i % 2 == 0 ? one : two;
          tasks.add(
              () -> {
                Claim[] claims = {claim(store, rule, caller, 1)};
                start.await();
                return store.apply(claims, StoreOperation.TAKE).join()[0];
              });
        }
        int admitted = 0;
        for (Future<ClaimOutcome> future : pool.invokeAll(tasks)) {
          assertThat(future.get().degraded()).isFalse();
          admitted += future.get().admitted() ? 1 : 0;
        }
        assertThat(admitted).isEqualTo(100);
      }
    } finally {
      pool.shutdownNow();
    }
  }

  private static String runOnAll(List<RedisTestNodeProcess> nodes, String command) {
    nodes.forEach(node -> node.send(command));
    StringBuilder all = new StringBuilder();
    nodes.forEach(node -> all.append(node.readLine()));
    return all.toString();
  }

  private static long countAdmittedLetters(String letters) {
    return letters.chars().filter(letter -> letter == 'y').count();
  }

  private static long serverTimeMicros(RedisProcess redis) {
    List<?> time = (List<?>) redis.command("TIME");
    if (time == null) {
      throw new AssertionError("no time");
    }
    return Long.parseLong(String.valueOf(time.get(0))) * 1_000_000
        + Long.parseLong(String.valueOf(time.get(1)));
  }
}
