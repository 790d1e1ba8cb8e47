package io.weir.redis;

import static io.weir.redis.Asking.joined;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rule.Claim;
import io.weir.rule.Limit;
import io.weir.store.MemoryStore;
import io.weir.store.Mode;
import io.weir.store.Outcome;
import io.weir.store.Store;
import io.weir.testkit.FakeClock;
import io.weir.testkit.History;
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
class RedisTwinTest {
  private static final int STEPS_PER_ROUND = 100;
  private static final long LIFTED_WITHIN = 500_000;

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
  void saysTheSame(int pages) {
    long seed = History.seed();
    History history = new History(seed);
    int rounds = Math.max(10, History.steps() / 2000);
    for (int round = 0; round < rounds; round++) {
      redis.command("FLUSHALL");
      // before all histories: a sweep that begins ahead of one would forget what it charges
      FakeClock clock = new FakeClock(Instant.ofEpochSecond(1));
      MemoryStore memory = new MemoryStore(clock, 16 << 20);
      try (RedisStore store =
          joined(
              RedisStore.at("redis://127.0.0.1:" + proxy.port())
                  .deadline(Asking.PATIENT)
                  .pages(pages)
                  .prefix("round-" + round) // the last one's sweep may still be under way
                  .storeClock(clock))) {
        List<Limit> limits = history.limits();
        long start = 0;
        for (int i = 0; i < STEPS_PER_ROUND; i++) {
          clock.set(start + history.nextForward(limits.get(history.below(limits.size())).terms()));
          if (step(
              history, limits, clock, store, memory, "-Dweir.seed=" + seed + " round " + round)) {
            start += LIFTED_WITHIN;
          }
        }
        assertThat(store.health().corrupt()).isZero();
        assertThat(store.health().degraded()).isZero();
      }
    }
  }

  /**
   * Several requests at one moment; the memory store is asked in the order Redis answered. True if
   * something was given back, of which refusals that are remembered hear a little later.
   */
  private static boolean step(
      History history,
      List<Limit> limits,
      FakeClock clock,
      RedisStore store,
      Store memory,
      String where) {
    List<Asked> answered = Collections.synchronizedList(new ArrayList<>());
    List<CompletableFuture<?>> answers = new ArrayList<>();
    int together = history.oneIn(2) ? 1 : 1 + history.below(40);
    proxy.hold(together > 1); // until it is seen in which order they are answered
    for (int i = 0; i < together; i++) {
      Mode mode = mode(history, together);
      boolean all = mode == Mode.REFUND && history.oneIn(3);
      Claim[] claims = history.claims(limits, store.fingerprint(), all);
      boolean dated = (mode == Mode.REFUND || mode == Mode.FORCE) && history.oneIn(2);
      long when = dated ? clock.micros() - history.within(120_000_000) : Store.NOW;
      CompletableFuture<Outcome[]> answer = store.take(claims, mode, when);
      boolean atOnce = answer.isDone();
      answers.add(
          answer.thenAccept(
              outcomes -> answered.add(new Asked(claims, mode, when, outcomes, atOnce))));
    }
    proxy.hold(false);
    CompletableFuture.allOf(answers.toArray(new CompletableFuture<?>[0])).join();
    for (Asked one : answered) {
      Outcome[] expected = memory.take(one.claims, one.mode, one.when).join();
      boolean remembered = one.atOnce && isRefused(one.claims, one.outcomes);
      if (remembered && one.mode == Mode.TAKE) {
        assertThat(isRefused(one.claims, expected)).as("%s: remembered", where).isTrue();
      } else {
        assertThat(one.outcomes)
            .as("%s: %s %s", where, one.mode, List.of(one.claims))
            .isEqualTo(expected);
      }
    }
    return answered.get(0).mode == Mode.REFUND;
  }

  private static Mode mode(History history, int together) {
    if (!history.oneIn(4)) {
      return Mode.TAKE;
    }
    return together == 1 && history.oneIn(2)
        ? Mode.REFUND
        : history.oneOf(List.of(Mode.PEEK, Mode.FORCE, Mode.LEASE));
  }

  private static boolean isRefused(Claim[] claims, Outcome[] outcomes) {
    boolean refused = false;
    for (int i = 0; i < claims.length; i++) {
      refused |= !outcomes[i].fits() && !claims[i].limit().shadow();
    }
    return refused;
  }

  /** A request and what Redis said. */
  private static final class Asked {
    final Claim[] claims;
    final Mode mode;
    final long when;
    final Outcome[] outcomes;
    final boolean atOnce;

    Asked(Claim[] claims, Mode mode, long when, Outcome[] outcomes, boolean atOnce) {
      this.claims = claims;
      this.mode = mode;
      this.when = when;
      this.outcomes = outcomes;
      this.atOnce = atOnce;
    }
  }
}
