package io.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.internal.algorithm.Algorithm;
import io.weir.internal.algorithm.Algorithms;
import io.weir.internal.algorithm.CounterState;
import io.weir.internal.algorithm.LimitParameters;
import io.weir.internal.algorithm.WindowModel;
import io.weir.internal.rule.Claim;
import io.weir.internal.rule.CompiledRule;
import io.weir.internal.rule.Limit;
import io.weir.internal.store.ClaimOutcome;
import io.weir.internal.store.MemoryStore;
import io.weir.store.Clock;
import io.weir.store.StoreOperation;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Compares a memory store that is saved and loaded with one that keeps running. */
@Tag("slow")
class MemoryStoreRestartTest {
  private static final int STEPS_PER_ROUND = 200;
  private static final long BYTES = 4 << 20;

  private CapturedLogs log;
  private @TempDir Path folder;

  @BeforeEach
  void captureLogs() {
    log = new CapturedLogs();
  }

  @AfterEach
  void releaseLogs() {
    log.close();
  }

  static Stream<Algorithm> algorithms() {
    return Algorithms.all().stream();
  }

  @ParameterizedTest
  @MethodSource("algorithms")
  void restartedStore_decidesLikeUninterruptedStore(Algorithm algorithm) throws IOException {
    long seed = RandomHistory.seed();
    RandomHistory history = new RandomHistory(seed);
    int restarts = 0;
    for (int step = 0; step < RandomHistory.steps() / 20; step += STEPS_PER_ROUND) {
      FakeClock clock = new FakeClock();
      MemoryStore uninterrupted = new MemoryStore(clock, BYTES);
      MemoryStore restarted = null;
      List<Limit> limits = limits(history, algorithm);
      for (int i = 0; i < STEPS_PER_ROUND; i++) {
        Limit limit = limits.get(history.below(limits.size()));
        if (restarted == null || history.oneIn(20)) {
          (restarted == null ? uninterrupted : restarted).save(file());
          clock.set(history.nextForward(limit.parameters()));
          restarted = load(clock);
          restarts++;
        }
        clock.set(history.nextForward(limit.parameters()));
        StoreOperation operation =
            history.oneIn(3) ? history.pick(List.of(StoreOperation.values())) : StoreOperation.TAKE;
        Claim[] claims = claims(history, limits, uninterrupted);
        assertThat(restarted.apply(claims, operation).join())
            .as("-Dweir.seed=%d step %d: %s %s", seed, step + i, operation, List.of(claims))
            .isEqualTo(uninterrupted.apply(claims, operation).join());
      }
    }
    assertThat(restarts).isGreaterThan(RandomHistory.steps() / 1000);
    assertThat(log.lines()).allMatch(line -> line.startsWith("restored "));
  }

  @ParameterizedTest
  @MethodSource("algorithms")
  void wallClockSetBackBetweenRuns_refillsNothingAndBoundsWait(Algorithm algorithm)
      throws IOException {
    long seed = RandomHistory.seed();
    RandomHistory history = new RandomHistory(seed);
    for (int round = 0; round < RandomHistory.steps() / 2000; round++) {
      FakeClock clock = new FakeClock();
      MemoryStore store = new MemoryStore(clock, BYTES);
      Limit limit = CompiledRule.of(history.rule("r", algorithm).build()).limits().get(0);
      Claim[] one = {new Claim(limit, 1, 1)};
      for (int i = 0; i < 20; i++) {
        clock.set(history.nextForward(limit.parameters()));
        Claim[] some = {new Claim(limit, 1, history.cost(limit.capacity()))};
        StoreOperation common = history.oneIn(2) ? StoreOperation.TAKE : StoreOperation.REFUND;
        store.apply(some, history.oneIn(5) ? StoreOperation.FORCE : common).join();
      }
      ClaimOutcome before = store.apply(one, StoreOperation.PEEK).join()[0];
      store.save(file());
      clock.set(clock.micros() - 1 - history.below(1 << 30) * (history.oneIn(2) ? 1L : 10_000L));
      MemoryStore loaded = load(clock);
      ClaimOutcome after = loaded.apply(one, StoreOperation.PEEK).join()[0];
      String where = "-Dweir.seed=" + seed + " round " + round + ": " + limit.parameters();
      assertThat(after.remaining()).as(where).isLessThanOrEqualTo(before.remaining());
      assertThat(after.reset()).as(where).isLessThanOrEqualTo(longestWait(limit));

      clock.set(clock.micros() + after.reset() / 1000 * history.below(1000));
      loaded.save(file());
      ClaimOutcome later = loaded.apply(one, StoreOperation.PEEK).join()[0];
      assertThat(load(clock).apply(one, StoreOperation.PEEK).join()[0]).as(where).isEqualTo(later);
      clock.set(clock.micros() + later.reset());
      assertThat(loaded.apply(one, StoreOperation.PEEK).join()[0].remaining())
          .as(where)
          .isEqualTo(limit.capacity());
    }
  }

  /** The wall clock was set forward while the store's clock did not follow. */
  @ParameterizedTest
  @MethodSource("algorithms")
  void clockBehindWallClock_admitsNoMoreAfterRestart(Algorithm algorithm) throws IOException {
    long seed = RandomHistory.seed();
    RandomHistory history = new RandomHistory(seed);
    for (int round = 0; round < RandomHistory.steps() / 2000; round++) {
      FakeClock clock = new FakeClock();
      long behind = 1_000_000L + history.below(1 << 30) * 4L;
      MemoryStore store = new MemoryStore(behind(clock, behind), BYTES);
      Limit limit = CompiledRule.of(history.rule("r", algorithm).build()).limits().get(0);
      Claim[] one = {new Claim(limit, 1, 1)};
      for (int i = 0; i < 20; i++) {
        clock.set(history.nextForward(limit.parameters()));
        store
            .apply(
                new Claim[] {new Claim(limit, 1, history.cost(limit.capacity()))},
                StoreOperation.TAKE)
            .join();
      }
      ClaimOutcome before = store.apply(one, StoreOperation.PEEK).join()[0];
      store.save(file());
      clock.set(clock.micros() + behind);
      ClaimOutcome after = load(clock).apply(one, StoreOperation.PEEK).join()[0];
      String where = "-Dweir.seed=" + seed + " round " + round + ": " + limit.parameters();
      assertThat(after.reset()).as(where).isLessThanOrEqualTo(longestWait(limit));
      if (!algorithm.name().equals("sliding-counter")) { // its windows are aligned to the clock
        assertThat(after.remaining()).as(where).isEqualTo(before.remaining());
        assertThat(after.reset()).as(where).isEqualTo(before.reset());
      }
    }
  }

  private static Clock behind(Clock clock, long micros) {
    return new Clock() {
      @Override
      public long micros() {
        return clock.micros();
      }

      @Override
      public long wallMicros() {
        return clock.micros() + micros;
      }
    };
  }

  private static long longestWait(Limit limit) {
    LimitParameters t = limit.parameters();
    if (limit.windowModel() == WindowModel.CONTINUOUS) {
      return t.fillMicros();
    }
    CounterState worst = new CounterState();
    long start = t.windowStart(1_700_000_000_000_000L);
    limit.algorithm().advance(t, worst, start);
    limit.algorithm().charge(t, worst, start, 3 * limit.capacity());
    return limit.algorithm().waitTime(t, worst, start, limit.capacity());
  }

  private static List<Limit> limits(RandomHistory history, Algorithm algorithm) {
    List<Limit> limits = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      boolean shadow = history.oneIn(4);
      limits.add(
          CompiledRule.of(history.rule("r" + i, algorithm).shadow(shadow).build()).limits().get(0));
    }
    return limits;
  }

  private static Claim[] claims(RandomHistory history, List<Limit> limits, MemoryStore store) {
    Claim[] claims = new Claim[1 + history.below(limits.size())];
    for (int i = 0; i < claims.length; i++) {
      Limit limit = limits.get(history.below(limits.size()));
      long caller = store.fingerprint().of("caller " + history.below(5));
      claims[i] = Claim.of(limit, caller, history.cost(limit.capacity()));
    }
    return claims;
  }

  private MemoryStore load(Clock clock) {
    return MemoryStore.load(file(), clock, BYTES);
  }

  private Path file() {
    return folder.resolve("counters");
  }
}
