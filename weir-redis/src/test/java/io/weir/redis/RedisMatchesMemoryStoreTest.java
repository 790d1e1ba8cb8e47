package io.weir.redis;

import static io.weir.redis.RedisStoreTestSupport.openAndAwait;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rule.Claim;
import io.weir.rule.Limit;
import io.weir.store.ClaimOutcome;
import io.weir.store.MemoryStore;
import io.weir.store.Store;
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
 * The Redis store says what the memory store says, at every step of a random history: requests of
 * several claims that travel alone or together, states of every size, in every layout.
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
  void randomHistory_matchesMemoryStore(int pages) {
    long seed = RandomHistory.seed();
    RandomHistory history = new RandomHistory(seed);
    int rounds = Math.max(10, RandomHistory.steps() / 2000);
    for (int round = 0; round < rounds; round++) {
      redis.command("FLUSHALL");
      // before all histories: a sweep that begins ahead of one would forget what it charges
      FakeClock clock = new FakeClock(Instant.ofEpochSecond(1));
      MemoryStore memory = new MemoryStore(clock, 16 << 20);
      try (RedisStore store =
          openAndAwait(
              RedisStore.at("redis://127.0.0.1:" + proxy.port())
                  .deadline(RedisStoreTestSupport.LONG_DEADLINE)
                  .packedBuckets(pages)
                  .prefix("round-" + round) // the last one's sweep may still be under way
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
   * Several requests at one moment; the memory store is asked in the order Redis answered. True if
   * something was given back, of which refusals that are remembered hear a little later.
   */
  private static boolean runStep(
      RandomHistory history,
      List<Limit> limits,
      FakeClock clock,
      RedisStore store,
      Store memory,
      String where) {
    List<RecordedStoreCall> answered = Collections.synchronizedList(new ArrayList<>());
    List<CompletableFuture<?>> answers = new ArrayList<>();
    int together = history.oneIn(2) ? 1 : 1 + history.below(40);
    proxy.holdReplies(together > 1); // until it is seen in which order they are answered
    for (int i = 0; i < together; i++) {
      StoreOperation mode = randomOperation(history, together);
      boolean all = mode == StoreOperation.REFUND && history.oneIn(3);
      Claim[] claims = history.claims(limits, store.fingerprint(), all);
      boolean dated =
          (mode == StoreOperation.REFUND || mode == StoreOperation.FORCE) && history.oneIn(2);
      long when = dated ? clock.micros() - history.upTo(120_000_000) : Store.NOW;
      CompletableFuture<ClaimOutcome[]> answer = store.apply(claims, mode, when);
      boolean atOnce = answer.isDone();
      answers.add(
          answer.thenAccept(
              outcomes ->
                  answered.add(new RecordedStoreCall(claims, mode, when, outcomes, atOnce))));
    }
    proxy.holdReplies(false);
    CompletableFuture.allOf(answers.toArray(new CompletableFuture<?>[0])).join();
    for (RecordedStoreCall one : answered) {
      ClaimOutcome[] expected = memory.apply(one.claims, one.operation, one.chargeTime).join();
      boolean remembered = one.answeredLocally && isRefused(one.claims, one.outcomes);
      if (remembered && one.operation == StoreOperation.TAKE) {
        assertThat(isRefused(one.claims, expected)).as("%s: remembered", where).isTrue();
      } else {
        assertThat(one.outcomes)
            .as("%s: %s %s", where, one.operation, List.of(one.claims))
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

  /** A request and what Redis said. */
  private static final class RecordedStoreCall {
    final Claim[] claims;
    final StoreOperation operation;
    final long chargeTime;
    final ClaimOutcome[] outcomes;
    final boolean answeredLocally;

    RecordedStoreCall(
        Claim[] claims, StoreOperation mode, long when, ClaimOutcome[] outcomes, boolean atOnce) {
      this.claims = claims;
      this.operation = mode;
      this.chargeTime = when;
      this.outcomes = outcomes;
      this.answeredLocally = atOnce;
    }
  }
}
