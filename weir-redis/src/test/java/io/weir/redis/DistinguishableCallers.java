package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.internal.rule.Claim;
import io.weir.internal.rule.CompiledRule;
import io.weir.internal.store.ClaimOutcome;
import io.weir.internal.store.ClaimStore;
import io.weir.redis.RedisLoadGenerator.RedisLoadSample;
import io.weir.rule.Rule;
import io.weir.rule.StoreFailureFallback;
import io.weir.testkit.Await;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Callers whose replies can be told apart: their limits differ so much that no two of them ever
 * have the same number of permits remaining.
 */
final class DistinguishableCallers implements AutoCloseable {
  private static final int LIMIT_STEP = 1_000_000;

  private final List<Rule> rules;
  private final RedisLoadGenerator loadGenerator;

  private DistinguishableCallers(ClaimStore store, int callers) {
    rules =
        IntStream.range(0, callers)
            .mapToObj(
                i ->
                    Rule.named("marked-" + i)
                        .algorithm("fixed-window") // permits limits this large
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

  static DistinguishableCallers start(ClaimStore store, int callers) {
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
   * Stops the load and checks that every reply belonged to its caller: the permits remaining are
   * the limit minus all answered requests, and at most the unanswered ones.
   */
  List<RedisLoadSample> stopAndVerify() {
    List<RedisLoadSample> samples = loadGenerator.stop();
    long[] asked = new long[rules.size()];
    long[] answered = new long[rules.size()];
    for (RedisLoadSample sample : samples) {
      int i = sample.caller();
      long limit = CompiledRule.of(rules.get(i)).limits().get(0).capacity();
      asked[i]++;
      assertThat(asked[i]).as("requests of one caller").isLessThan(LIMIT_STEP);
      if (!sample.degraded()) {
        answered[i]++;
        ClaimOutcome outcome = sample.outcomes().get(0);
        assertThat(outcome.admitted()).isTrue();
        assertThat(outcome.remaining())
            .as("remaining of " + limit)
            .isBetween(limit - asked[i], limit - answered[i]);
      }
    }
    return samples;
  }

  @Override
  public void close() {
    loadGenerator.close();
  }
}
