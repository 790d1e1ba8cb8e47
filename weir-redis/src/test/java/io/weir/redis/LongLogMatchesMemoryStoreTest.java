package io.weir.redis;

import static io.weir.redis.RedisStoreTestSupport.openAndAwait;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.internal.algorithm.Algorithms;
import io.weir.internal.rule.Claim;
import io.weir.internal.rule.CompiledRule;
import io.weir.internal.rule.Limit;
import io.weir.internal.store.ClaimOutcome;
import io.weir.internal.store.MemoryStore;
import io.weir.rule.Rate;
import io.weir.rule.Rule;
import io.weir.store.StoreOperation;
import io.weir.testkit.FakeClock;
import io.weir.testkit.RandomHistory;
import io.weir.testkit.redis.RedisProcess;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Compares the Redis store with the memory store on logs of hundreds of entries, of which the
 * server sends only a part to the node.
 */
class LongLogMatchesMemoryStoreTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final long REFUSAL_FORGOTTEN_MICROS = 500_000;

  private static RedisProcess redis;

  @BeforeAll
  static void start() {
    redis = RedisProcess.start();
  }

  @AfterAll
  static void stop() {
    redis.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1 << 18})
  void randomHistory_matchesMemoryStore(int packedBuckets) {
    long seed = RandomHistory.seed();
    RandomHistory history = new RandomHistory(seed);
    redis.command("FLUSHALL");
    FakeClock clock = new FakeClock();
    MemoryStore memory = new MemoryStore(clock, 16 << 20);
    Rule rule =
        Rule.named("log")
            .per("user")
            .algorithm(Algorithms.SLIDING_LOG.name())
            .limit("300/minute")
            .build();
    List<Limit> limits =
        List.of(
            CompiledRule.of(rule).limits().get(0),
            CompiledRule.of(rule).limits().get(0),
            CompiledRule.of(rule).limit(new Rate(250, MINUTE)),
            CompiledRule.of(rule).limit(new Rate(500, MINUTE)));
    try (RedisStore store =
        openAndAwait(
            RedisStore.at(redis.uri())
                .deadline(RedisStoreTestSupport.LONG_DEADLINE)
                .packedBuckets(packedBuckets)
                .storeClock(clock))) {
      int refused = 0;
      int steps = 4000;
      for (int i = 0; i < steps; i++) {
        clock.advance(
            Duration.ofNanos(1000L * history.below(history.oneIn(200) ? 9_000_000 : 300_000)));
        StoreOperation operation = randomOperation(history);
        Claim[] claims = randomClaims(history, limits, store, operation);
        long earlier = history.oneIn(2) ? 0 : history.below(70_000_000);
        long when =
            operation == StoreOperation.REFUND || operation == StoreOperation.FORCE
                ? clock.micros() - earlier
                : clock.micros();
        var answer = store.apply(claims, operation, when);
        boolean answeredLocally = answer.isDone();
        ClaimOutcome[] actual = answer.join();
        ClaimOutcome[] expected = memory.apply(claims, operation, when).join();
        if (answeredLocally && operation == StoreOperation.TAKE && !allAdmitted(actual)) {
          assertThat(allAdmitted(expected)).as("a remembered refusal").isFalse();
        } else {
          assertThat(actual)
              .as("-Dweir.seed=%d step %d: %s %s", seed, i, operation, List.of(claims))
              .isEqualTo(expected);
        }
        refused += allAdmitted(actual) ? 0 : 1;
        if (operation == StoreOperation.REFUND) {
          // until remembered refusals are forgotten
          clock.advance(Duration.ofNanos(REFUSAL_FORGOTTEN_MICROS * 1000));
        }
      }
      assertThat(refused).as("refusals of a useful history").isBetween(steps / 20, steps * 3 / 4);
      assertThat(store.health().corruptStates()).isZero();
    }
  }

  private static StoreOperation randomOperation(RandomHistory history) {
    return switch (history.below(40)) {
      case 0 -> StoreOperation.REFUND;
      case 1 -> StoreOperation.FORCE;
      case 2, 3, 4, 5 -> StoreOperation.PEEK;
      case 6, 7, 8, 9 -> StoreOperation.LEASE;
      default -> StoreOperation.TAKE;
    };
  }

  private static Claim[] randomClaims(
      RandomHistory history, List<Limit> limits, RedisStore store, StoreOperation operation) {
    Claim[] claims = new Claim[history.oneIn(3) ? 2 : 1];
    for (int i = 0; i < claims.length; i++) {
      long cost =
          switch (history.below(60)) {
            case 0 -> operation == StoreOperation.REFUND ? Claim.MAX_COST : 300;
            case 1, 2 -> 1 + history.below(60);
            default -> 1 + history.below(2);
          };
      long caller = store.fingerprint().of(history.oneIn(4) ? "two" : "one");
      claims[i] = Claim.of(history.pick(limits), caller, cost);
    }
    return claims;
  }

  private static boolean allAdmitted(ClaimOutcome[] outcomes) {
    boolean all = true;
    for (ClaimOutcome outcome : outcomes) {
      all &= outcome.admitted();
    }
    return all;
  }
}
