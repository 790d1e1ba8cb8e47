package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.redis.RedisLoadGenerator.RedisLoadSample;
import io.weir.rule.Claim;
import io.weir.rule.Rule;
import io.weir.rule.StoreFailureFallback;
import io.weir.store.ClaimOutcome;
import io.weir.store.Store;
import io.weir.testkit.Await;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Callers whose answers cannot be taken for each other's: their limits are so far apart that no two
 * of them ever have the same number of permits left.
 */
final class DistinguishableCallers implements AutoCloseable {
  private static final int LIMIT_STEP = 1_000_000;

  private final List<Rule> rules;
  private final RedisLoadGenerator loadGenerator;

  private DistinguishableCallers(Store store, int callers) {
    rules =
        IntStream.range(0, callers)
            .mapToObj(
                i ->
                    Rule.named("marked-" + i)
                        .algorithm("fixed-window") // which may be so large
                        .limit((i + 1L) * LIMIT_STEP + "/300d")
                        .onStoreFailure(StoreFailureFallback.CLOSED)
                        .build())
            .toList();
    loadGenerator =
        RedisLoadGenerator.start(
            store,
            callers,
            i -> new Claim[] {RedisStoreTestSupport.claim(store, rules.get(i), "caller " + i, 1)});
  }

  static DistinguishableCallers start(Store store, int callers) {
    return new DistinguishableCallers(store, callers);
  }

  RedisLoadGenerator loadGenerator() {
    return loadGenerator;
  }

  void awaitSteadyLoad() {
    Await.until(
        RedisStoreTestSupport.AWAIT_TIMEOUT,
        "a steady load",
        () -> loadGenerator.answeredInARow() > 2000);
  }

  /**
   * Ends it. Every answer was the asker's own: what is left is what its limit leaves after all it
   * was answered, less at most what it asked and was not answered.
   */
  List<RedisLoadSample> stopAndVerify() {
    List<RedisLoadSample> all = loadGenerator.stop();
    long[] asked = new long[rules.size()];
    long[] answered = new long[rules.size()];
    for (RedisLoadSample sample : all) {
      int i = sample.caller();
      long limit = rules.get(i).limits().get(0).capacity();
      asked[i]++;
      assertThat(asked[i]).as("questions of one caller, to be told apart").isLessThan(LIMIT_STEP);
      if (!sample.degraded()) {
        answered[i]++;
        ClaimOutcome o = sample.outcomes().get(0);
        assertThat(o.admitted()).isTrue();
        assertThat(o.remaining())
            .as("left of " + limit)
            .isBetween(limit - asked[i], limit - answered[i]);
      }
    }
    return all;
  }

  @Override
  public void close() {
    loadGenerator.close();
  }
}
