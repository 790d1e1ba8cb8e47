package io.weir.redis;

import static io.weir.redis.RedisStoreTestSupport.budget;
import static io.weir.redis.RedisStoreTestSupport.claim;
import static io.weir.redis.RedisStoreTestSupport.openAndAwait;
import static io.weir.redis.RedisStoreTestSupport.take;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.internal.algorithm.Algorithm;
import io.weir.internal.algorithm.Algorithms;
import io.weir.internal.rule.Claim;
import io.weir.internal.store.ClaimOutcome;
import io.weir.rule.Rule;
import io.weir.rule.StoreFailureFallback;
import io.weir.store.StoreOperation;
import io.weir.testkit.Await;
import io.weir.testkit.FakeClock;
import io.weir.testkit.redis.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Expired counters are removed, without any call that takes the server long. */
class CounterExpiryTest {
  private static final int EXPIRING_COUNTERS = 200_000;
  private static final int LASTING_COUNTERS = 200;
  private static final Rule LASTING_RULE = budget("lasting", 5, StoreFailureFallback.CLOSED);

  private final FakeClock clock = new FakeClock();
  private RedisProcess redis;

  @BeforeEach
  void start() {
    redis = RedisProcess.start();
  }

  @AfterEach
  void stop() {
    redis.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 4096})
  void freshCounters_areForgottenAndMemoryIsFreed(int packedBuckets) {
    try (RedisStore store = openAndAwait(storeWithLongDeadline().packedBuckets(packedBuckets))) {
      assertThat(take(store, LASTING_RULE, "x", 5).admitted()).isTrue();
      takeForCallers(store, "1000/second", 20_000);
      awaitForgotten(2);
      // most of the rest is the table of the hash, which Redis shrinks as it is used
      assertThat(numberReply("MEMORY", "USAGE", "weir:{0}", "SAMPLES", "0")).isLessThan(500_000);
      assertThat(take(store, LASTING_RULE, "x", 1).admitted())
          .as("a used counter is kept")
          .isFalse();
      assertThat(numberReply("PTTL", "weir:{0}")).isPositive();
    }
  }

  /** Uses every algorithm with small and large numbers, on the second day of its counters. */
  @ParameterizedTest
  @ValueSource(
      ints = {0, RedisLayout.MAX_PACKED_BUCKETS}) // so many that no two counters share a bucket
  void stateOfEveryKind_lastsUntilItExpires(int packedBuckets) {
    try (RedisStore store =
        openAndAwait(storeWithLongDeadline().packedBuckets(packedBuckets).storeClock(clock))) {
      chargeDailyLimits(store, 6);
      clock.advance(Duration.ofDays(1));
      List<Long> ends = chargeDailyLimits(store, 3);
      logAllCommands();
      for (long end : new TreeSet<>(ends)) {
        clock.set(end - 1_000_000);
        takeScanMicros();
        Await.until(
            RedisStoreTestSupport.AWAIT_TIMEOUT, "a full sweep", () -> countLogged("HSCAN") > 1);
        long lasting = ends.stream().filter(other -> other >= end).count();
        assertThat(fieldCount()).isGreaterThan(lasting);
      }
      clock.advance(Duration.ofSeconds(3));
      awaitForgotten(0);
    }
  }

  /** Charges so many tenths of daily limits; returns when all permits of each will be back. */
  private List<Long> chargeDailyLimits(RedisStore store, int tenths) {
    List<Long> ends = new ArrayList<>();
    for (Algorithm algorithm : Algorithms.all()) {
      boolean counts = !algorithm.name().equals("sliding-log"); // which keeps every charge
      for (long permits : counts ? List.of(100L, 100_000L, 500_000_000_000L) : List.of(100L)) {
        String name = algorithm.name() + permits;
        Rule rule = Rule.named(name).algorithm(algorithm.name()).limit(permits + "/day").build();
        ClaimOutcome outcome = take(store, rule, name, tenths * permits / 10);
        assertThat(outcome.admitted()).isTrue();
        ends.add(clock.micros() + outcome.reset());
      }
    }
    return ends;
  }

  @Test
  void flushedServer_isSweptAgain() {
    try (RedisStore store = openAndAwait(storeWithLongDeadline())) {
      takeForCallers(store, "1/hour", 1000);
      logAllCommands();
      redis.command("FLUSHALL");
      Await.until(
          RedisStoreTestSupport.AWAIT_TIMEOUT,
          "a sweep after the flush",
          this::hasScannedSinceTheFlush);
      assertThat(take(store, LASTING_RULE, "x", 5).admitted()).isTrue();
      takeForCallers(store, "1000/second", 1000);
      awaitForgotten(2);
    }
  }

  @Test
  void lastCounters_areForgottenAsCheaplyAsFirst() {
    try (RedisStore store = openAndAwait(storeWithLongDeadline().storeClock(clock))) {
      fill(store);
      clock.advance(Duration.ofMinutes(2));
      Await.until(
          RedisStoreTestSupport.AWAIT_TIMEOUT,
          "half are removed",
          () -> fieldCount() < EXPIRING_COUNTERS / 2);
      List<Long> first = takeScanMicros();
      Await.until(
          RedisStoreTestSupport.AWAIT_TIMEOUT,
          "few counters are left",
          () -> fieldCount() < EXPIRING_COUNTERS / 20);
      assertThat(takeScanMicros()).isNotEmpty();
      awaitForgotten(LASTING_COUNTERS + 1);
      awaitSmallTable();
      Await.until(
          RedisStoreTestSupport.AWAIT_TIMEOUT, "more scans", () -> countLogged("HSCAN") > 5);
      List<Long> last = takeScanMicros();
      assertThat(median(last))
          .as("microseconds of the last scans %s, where the first took %s", last, first)
          .isLessThan(5 * median(first));
    }
  }

  /** Otherwise Redis would delete the rest of the hash at once, and block all clients meanwhile. */
  @Test
  void sweptShard_doesNotExpire() {
    try (RedisStore store = openAndAwait(storeWithLongDeadline().storeClock(clock))) {
      fill(store);
      clock.advance(Duration.ofMinutes(2));
      Await.until(
          RedisStoreTestSupport.AWAIT_TIMEOUT,
          "some are removed",
          () -> fieldCount() < EXPIRING_COUNTERS);
      redis.command("PEXPIRE", "weir:{0}", "10000");
      Await.until(
          RedisStoreTestSupport.AWAIT_TIMEOUT,
          "a longer TTL",
          () -> numberReply("PTTL", "weir:{0}") > 50_000);
      awaitForgotten(LASTING_COUNTERS + 1);
    }
  }

  /** While a child process saves, Redis does not shrink tables; later it shrinks by any factor. */
  @Test
  void tableThatCouldNotShrink_isNotScannedBeforeItHas() {
    try (RedisStore store = openAndAwait(storeWithLongDeadline().storeClock(clock))) {
      fill(store);
      clock.advance(Duration.ofMinutes(2));
      Await.until(
          RedisStoreTestSupport.AWAIT_TIMEOUT,
          "half are removed",
          () -> fieldCount() < EXPIRING_COUNTERS / 2);
      List<Long> first = takeScanMicros();
      redis.command("CONFIG", "SET", "rdb-key-save-delay", "100000000");
      redis.command("BGSAVE");
      awaitForgotten(LASTING_COUNTERS + 1);
      assertThat(infoNumber("persistence", "rdb_bgsave_in_progress")).isEqualTo(1);
      killSavingChild();
      assertThat(takeScanMicros()).isNotEmpty();
      takeForCallers(store, "1/minute", 1000);
      clock.advance(Duration.ofMinutes(2));
      awaitForgotten(LASTING_COUNTERS + 1);
      awaitSmallTable();
      Await.until(
          RedisStoreTestSupport.AWAIT_TIMEOUT, "more scans", () -> countLogged("HSCAN") > 5);
      List<Long> afterwards = takeScanMicros();
      assertThat(afterwards.get(afterwards.size() * 3 / 4)) // a busy machine delays some
          .as("microseconds of scans %s, where the first took %s", afterwards, first)
          .isLessThan(10 * median(first));
    }
  }

  private void fill(RedisStore store) {
    for (int i = 0; i < LASTING_COUNTERS; i++) {
      assertThat(take(store, LASTING_RULE, "kept" + i, 5).admitted()).isTrue();
    }
    takeForCallers(store, "1/minute", EXPIRING_COUNTERS);
    logAllCommands();
    assertThat(fieldCount()).isEqualTo(EXPIRING_COUNTERS + LASTING_COUNTERS + 1);
  }

  private static void takeForCallers(RedisStore store, String limit, int callers) {
    Rule rule = Rule.named("brief").limit(limit).build();
    List<CompletableFuture<ClaimOutcome[]>> answers = new ArrayList<>();
    for (int i = 0; i < callers; i++) {
      answers.add(store.apply(new Claim[] {claim(store, rule, "u" + i, 1)}, StoreOperation.TAKE));
      if (i % 1000 == 999) {
        assertThat(answers).allMatch(answer -> answer.join()[0].admitted());
        answers.clear();
      }
    }
  }

  private void killSavingChild() {
    ProcessHandle server = ProcessHandle.of(infoNumber("server", "process_id")).orElseThrow();
    assertThat(server.children().filter(ProcessHandle::destroyForcibly)).hasSize(1);
    Await.until(
        RedisStoreTestSupport.AWAIT_TIMEOUT,
        "the end of saving",
        () -> infoNumber("persistence", "rdb_bgsave_in_progress") == 0);
  }

  private long infoNumber(String section, String name) {
    Matcher matcher =
        Pattern.compile("(?m)^" + name + ":(\\d+)")
            .matcher(String.valueOf(redis.command("INFO", section)));
    assertThat(matcher.find()).isTrue();
    return Long.parseLong(matcher.group(1));
  }

  private void logAllCommands() {
    redis.command("CONFIG", "SET", "slowlog-log-slower-than", "0", "slowlog-max-len", "100000");
    redis.command("SLOWLOG", "RESET");
  }

  /** Returns the microseconds of each scan since the last call, in ascending order. */
  private List<Long> takeScanMicros() {
    List<Long> micros = new ArrayList<>();
    for (List<?> entry : slowLogNewestFirst()) {
      if (commandName(entry).equals("HSCAN")) {
        micros.add((Long) entry.get(2));
      }
    }
    redis.command("SLOWLOG", "RESET");
    Collections.sort(micros);
    return micros;
  }

  private long countLogged(String command) {
    return slowLogNewestFirst().stream()
        .filter(entry -> commandName(entry).equals(command))
        .count();
  }

  private boolean hasScannedSinceTheFlush() {
    return slowLogNewestFirst().stream()
        .map(CounterExpiryTest::commandName)
        .takeWhile(command -> !command.equals("FLUSHALL"))
        .anyMatch("HSCAN"::equals);
  }

  /** Returns the commands since everything is logged, newest first. */
  private List<List<?>> slowLogNewestFirst() {
    List<List<?>> entries = new ArrayList<>();
    for (Object entry : (List<?>) Objects.requireNonNull(redis.command("SLOWLOG", "GET", "-1"))) {
      entries.add((List<?>) entry);
    }
    return entries;
  }

  private static String commandName(List<?> entry) {
    return String.valueOf(((List<?>) entry.get(3)).get(0));
  }

  private static long median(List<Long> sorted) {
    return sorted.get(sorted.size() / 2);
  }

  private void awaitForgotten(int left) {
    Await.until(
        RedisStoreTestSupport.AWAIT_TIMEOUT, "the removal of counters", () -> fieldCount() <= left);
  }

  private void awaitSmallTable() {
    Await.until(
        RedisStoreTestSupport.AWAIT_TIMEOUT,
        "a smaller table",
        () -> numberReply("MEMORY", "USAGE", "weir:{0}", "SAMPLES", "0") < 100_000);
  }

  private long fieldCount() {
    return numberReply("HLEN", "weir:{0}");
  }

  private RedisStore.Builder storeWithLongDeadline() {
    return RedisStore.at(redis.uri()).deadline(RedisStoreTestSupport.LONG_DEADLINE);
  }

  private long numberReply(String... command) {
    return Long.parseLong(String.valueOf(redis.command(command)));
  }
}
