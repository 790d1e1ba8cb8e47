package io.weir.redis;

import static io.weir.redis.RedisStoreTestSupport.openAndAwait;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.internal.rule.Claim;
import io.weir.internal.rule.Limit;
import io.weir.internal.store.ClaimOutcome;
import io.weir.internal.store.ClaimStore;
import io.weir.internal.store.MemoryStore;
import io.weir.store.StoreOperation;
import io.weir.testkit.FakeClock;
import io.weir.testkit.RandomHistory;
import io.weir.testkit.redis.FaultProxy;
import io.weir.testkit.redis.RedisProcess;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Compares the Redis store with the memory store at every step of a random history: requests with
 * several claims that are sent alone or in batches, states of every size, in every layout.
 */
class RedisMatchesMemoryStoreTest {
  private static final int STEPS_PER_ROUND = 100;
  private static final long REFUSAL_FORGOTTEN_MICROS = 500_000;

  private static RedisProcess redis;
  private static FaultProxy proxy;

  @BeforeAll
  static void start() {
    redis = RedisProcess.start();
    proxy = FaultProxy.to(redis.port());
  }

  @AfterAll
  static void stop() {
    proxy.close();
    redis.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1 << 10, 1 << 18, 1 << 24})
  void randomHistory_matchesMemoryStore(int packedBuckets) {
    long seed = RandomHistory.seed();
    RandomHistory history = new RandomHistory(seed);
    int rounds = Math.max(10, RandomHistory.steps() / 2000);
    for (int round = 0; round < rounds; round++) {
      redis.command("FLUSHALL");
      // earlier than all histories: a sweep ahead of a history would remove its counters
      FakeClock clock = new FakeClock(Instant.ofEpochSecond(1));
      MemoryStore memory = new MemoryStore(clock, 16 << 20);
      try (RedisStore store =
          openAndAwait(
              RedisStore.at("redis://127.0.0.1:" + proxy.port())
                  .deadline(RedisStoreTestSupport.LONG_DEADLINE)
                  .packedBuckets(packedBuckets)
                  .prefix("round-" + round) // the sweep of the last round may still be running
                  .storeClock(clock))) {
        List<Limit> limits = history.limits();
        long start = 0;
        for (int i = 0; i < STEPS_PER_ROUND; i++) {
          clock.set(
              start + history.nextForward(limits.get(history.below(limits.size())).parameters()));
          if (runStep(
              history, limits, clock, store, memory, "-Dweir.seed=" + seed + " round " + round)) {
            start += REFUSAL_FORGOTTEN_MICROS;
          }
        }
        assertThat(store.health().corruptStates()).isZero();
        assertThat(store.health().degradedDecisions()).isZero();
      }
    }
  }

  /**
   * Sends several requests at the same time, and the same to the memory store in the order of
   * Redis's replies. Returns true if permits were refunded, after which remembered refusals last a
   * little longer.
   */
  private static boolean runStep(
      RandomHistory history,
      List<Limit> limits,
      FakeClock clock,
      RedisStore store,
      ClaimStore memory,
      String context) {
    List<RecordedStoreCall> answered = Collections.synchronizedList(new ArrayList<>());
    List<CompletableFuture<?>> answers = new ArrayList<>();
    int concurrent = history.oneIn(2) ? 1 : 1 + history.below(40);
    proxy.holdReplies(concurrent > 1); // so that all are sent before the first reply
    for (int i = 0; i < concurrent; i++) {
      StoreOperation operation = randomOperation(history, concurrent);
      boolean all = operation == StoreOperation.REFUND && history.oneIn(3);
      Claim[] claims = history.claims(limits, store.fingerprint(), all);
      boolean isDated =
          (operation == StoreOperation.REFUND || operation == StoreOperation.FORCE)
              && history.oneIn(2);
      long when = isDated ? clock.micros() - history.upTo(120_000_000) : ClaimStore.NOW;
      CompletableFuture<ClaimOutcome[]> answer = store.apply(claims, operation, when);
      boolean answeredLocally = answer.isDone();
      answers.add(
          answer.thenAccept(
              outcomes ->
                  answered.add(
                      new RecordedStoreCall(claims, operation, when, outcomes, answeredLocally))));
    }
    proxy.holdReplies(false);
    CompletableFuture.allOf(answers.toArray(new CompletableFuture<?>[0])).join();
    for (RecordedStoreCall storeCall : answered) {
      ClaimOutcome[] expected =
          memory.apply(storeCall.claims, storeCall.operation, storeCall.chargeTime).join();
      boolean remembered =
          storeCall.answeredLocally && isRefused(storeCall.claims, storeCall.outcomes);
      if (remembered && storeCall.operation == StoreOperation.TAKE) {
        assertThat(isRefused(storeCall.claims, expected)).as("%s: remembered", context).isTrue();
      } else {
        assertThat(storeCall.outcomes)
            .as("%s: %s %s", context, storeCall.operation, List.of(storeCall.claims))
            .isEqualTo(expected);
      }
    }
    return answered.get(0).operation == StoreOperation.REFUND;
  }

  private static StoreOperation randomOperation(RandomHistory history, int together) {
    if (!history.oneIn(4)) {
      return StoreOperation.TAKE;
    }
    return together == 1 && history.oneIn(2)
        ? StoreOperation.REFUND
        : history.pick(List.of(StoreOperation.PEEK, StoreOperation.FORCE, StoreOperation.LEASE));
  }

  private static boolean isRefused(Claim[] claims, ClaimOutcome[] outcomes) {
    boolean refused = false;
    for (int i = 0; i < claims.length; i++) {
      refused |= !outcomes[i].admitted() && !claims[i].limit().shadow();
    }
    return refused;
  }

  /** A request and the outcomes from Redis. */
  private static final class RecordedStoreCall {
    final Claim[] claims;
    final StoreOperation operation;
    final long chargeTime;
    final ClaimOutcome[] outcomes;
    final boolean answeredLocally;

    RecordedStoreCall(
        Claim[] claims,
        StoreOperation operation,
        long chargeTime,
        ClaimOutcome[] outcomes,
        boolean answeredLocally) {
      this.claims = claims;
      this.operation = operation;
      this.chargeTime = chargeTime;
      this.outcomes = outcomes;
      this.answeredLocally = answeredLocally;
    }
  }
}
