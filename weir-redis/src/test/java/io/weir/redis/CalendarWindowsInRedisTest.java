package io.weir.redis;

import static io.weir.redis.RedisStoreTestSupport.openAndAwait;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.internal.algorithm.CalendarWindow;
import io.weir.internal.rule.Claim;
import io.weir.internal.rule.CompiledRule;
import io.weir.internal.rule.Limit;
import io.weir.internal.store.ClaimOutcome;
import io.weir.rule.CalendarSettings;
import io.weir.rule.CalendarUnit;
import io.weir.rule.Rule;
import io.weir.store.StoreOperation;
import io.weir.testkit.FakeClock;
import io.weir.testkit.RandomHistory;
import io.weir.testkit.redis.RedisProcess;
import java.time.Instant;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Calendar windows in Redis: at random instants in random zones, the script renews a counter at the
 * edges that {@code CalendarWindowsTest} compares with java.time, and at no other time.
 */
class CalendarWindowsInRedisTest {
  private static final long FROM = Instant.parse("2020-01-01T00:00:00Z").getEpochSecond();
  private static final int SECONDS = 20 * 365 * 86_400;
  private static final List<String> ZONES =
      List.copyOf(new TreeSet<>(CalendarSettings.zoneNames()));
  private static final int COUNTERS_PER_TIME = 250;

  private static RedisProcess redis;

  @BeforeAll
  static void start() {
    redis = RedisProcess.start();
  }

  @AfterAll
  static void stop() {
    redis.close();
  }

  @Test
  void randomInstants_areRenewedExactlyAtTheEdges() {
    long seed = RandomHistory.seed();
    RandomHistory history = new RandomHistory(seed);
    int instants = Integer.getInteger("weir.instants", 50_000) / 10;
    for (int done = 0; done < instants; done += COUNTERS_PER_TIME) {
      FakeClock clock = new FakeClock(Instant.ofEpochSecond(1));
      try (RedisStore store =
          openAndAwait(
              RedisStore.at(redis.uri())
                  .deadline(RedisStoreTestSupport.LONG_DEADLINE)
                  .prefix("after-" + done) // a sweep at a later time may still be running
                  .storeClock(clock))) {
        long time = (FROM + history.below(SECONDS)) * 1_000_000 + history.below(1_000_000);
        check(history, clock, store, time, "-Dweir.seed=" + seed);
      }
    }
  }

  private static void check(
      RandomHistory history, FakeClock clock, RedisStore store, long time, String seed) {
    List<Claim> claims = new ArrayList<>();
    for (int i = 0; i < COUNTERS_PER_TIME; i++) {
      Limit limit = CompiledRule.of(randomRule(history, "r" + i)).limits().get(0);
      claims.add(Claim.of(limit, store.fingerprint().of("c" + time), 1));
    }
    clock.set(time);
    List<ClaimOutcome> first = takeAll(store, claims, StoreOperation.TAKE);
    for (int i = 0; i < first.size(); i++) {
      assertThat(first.get(i).reset())
          .as("%s at %d %s", claims.get(i).limit(), time, seed)
          .isEqualTo(window(claims.get(i).limit(), time).end() - time);
    }
    // all counters of an edge are read before it: a sweep at the edge removes them
    claims.stream()
        .collect(groupingBy(claim -> window(claim.limit(), time).end(), TreeMap::new, toList()))
        .forEach(
            (edge, ending) -> {
              String instant = edge + " " + seed;
              clock.set(edge - 1);
              checkRemaining(
                  ending, takeAll(store, ending, StoreOperation.PEEK), "before " + instant);
              clock.set(edge);
              checkRemaining(ending, takeAll(store, ending, StoreOperation.TAKE), "at " + instant);
            });
  }

  private static void checkRemaining(List<Claim> claims, List<ClaimOutcome> outcomes, String when) {
    for (int i = 0; i < claims.size(); i++) {
      Limit limit = claims.get(i).limit();
      assertThat(outcomes.get(i).remaining())
          .as("%s %s", limit, when)
          .isEqualTo(limit.capacity() - 1);
    }
  }

  private static CalendarWindow window(Limit limit, long time) {
    CalendarWindow window = limit.parametersAt(time).window();
    if (window == null) {
      throw new AssertionError(limit + " has no calendar");
    }
    return window;
  }

  private static List<ClaimOutcome> takeAll(
      RedisStore store, List<Claim> claims, StoreOperation operation) {
    List<CompletableFuture<ClaimOutcome[]>> answers =
        claims.stream().map(claim -> store.apply(new Claim[] {claim}, operation)).toList();
    return answers.stream().map(answer -> answer.join()[0]).toList();
  }

  private static Rule randomRule(RandomHistory history, String id) {
    return Rule.named(id)
        .per("user")
        .limit(2 + history.below(1_000) + "/" + history.pick(List.of(CalendarUnit.values())))
        .zone(history.pick(ZONES))
        .resetDay(1 + history.below(31))
        .calendar(settings -> settings.withResetAt(LocalTime.ofSecondOfDay(history.below(86_400))))
        .build();
  }
}
