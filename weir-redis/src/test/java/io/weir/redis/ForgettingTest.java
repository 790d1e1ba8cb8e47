package io.weir.redis;

import static io.weir.redis.Asking.budget;
import static io.weir.redis.Asking.claim;
import static io.weir.redis.Asking.joined;
import static io.weir.redis.Asking.take;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Algorithms;
import io.weir.rule.Claim;
import io.weir.rule.Posture;
import io.weir.rule.Rule;
import io.weir.store.Mode;
import io.weir.store.Outcome;
import io.weir.testkit.FakeClock;
import io.weir.testkit.Soon;
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

/** Counters that have become fresh are forgotten, without a call that takes the server long. */
class ForgettingTest {
  private static final int MANY = 200_000;
  private static final int KEPT = 200;
  private static final Rule LASTING = budget("lasting", 5, Posture.CLOSED);

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
  void whatIsFreshIsForgottenAndMemoryComesBack(int pages) {
    try (RedisStore store = joined(patient().pages(pages))) {
      assertThat(take(store, LASTING, "x", 5).fits()).isTrue();
      askFor(store, "1000/second", 20_000);
      awaitForgotten(2);
      // what is left is mostly the table of the hash, which Redis shrinks as it is used
      assertThat(number("MEMORY", "USAGE", "weir:{0}", "SAMPLES", "0")).isLessThan(500_000);
      assertThat(take(store, LASTING, "x", 1).fits()).as("what is used is kept").isFalse();
      assertThat(number("PTTL", "weir:{0}")).isPositive();
    }
  }

  /** Of every algorithm, with small numbers and large, on the second day it is used. */
  @ParameterizedTest
  @ValueSource(ints = {0, Setup.MOST_PAGES}) // so many that no two counters share one
  void everyKindOfStateLastsUntilItIsOver(int pages) {
    try (RedisStore store = joined(patient().pages(pages).storeClock(clock))) {
      useSome(store, 6);
      clock.advance(Duration.ofDays(1));
      List<Long> ends = useSome(store, 3);
      logEverything();
      for (long end : new TreeSet<>(ends)) {
        clock.set(end - 1_000_000);
        scans();
        Soon.until(Asking.LONG, "all is looked at", () -> count("HSCAN") > 1);
        long lasting = ends.stream().filter(other -> other >= end).count();
        assertThat(fields()).isGreaterThan(lasting);
      }
      clock.advance(Duration.ofSeconds(3));
      awaitForgotten(0);
    }
  }

  /** So many tenths of daily limits; when all of each will be back. */
  private List<Long> useSome(RedisStore store, int tenths) {
    List<Long> ends = new ArrayList<>();
    for (Algorithm algorithm : Algorithms.all()) {
      boolean counts = !algorithm.name().equals("sliding-log"); // and does not list
      for (long permits : counts ? List.of(100L, 100_000L, 500_000_000_000L) : List.of(100L)) {
        String name = algorithm.name() + permits;
        Rule rule = Rule.named(name).algorithm(algorithm).limit(permits + "/day").build();
        Outcome outcome = take(store, rule, name, tenths * permits / 10);
        assertThat(outcome.fits()).isTrue();
        ends.add(clock.micros() + outcome.reset());
      }
    }
    return ends;
  }

  @Test
  void goesOnAfterTheServerHasLostEverything() {
    try (RedisStore store = joined(patient())) {
      askFor(store, "1/hour", 1000);
      logEverything();
      redis.command("FLUSHALL");
      Soon.until(Asking.LONG, "it looks at what is gone", this::hasScannedSinceTheFlush);
      assertThat(take(store, LASTING, "x", 5).fits()).isTrue();
      askFor(store, "1000/second", 1000);
      awaitForgotten(2);
    }
  }

  @Test
  void theLastAreForgottenAsCheaplyAsTheFirst() {
    try (RedisStore store = joined(patient().storeClock(clock))) {
      fill(store);
      clock.advance(Duration.ofMinutes(2));
      Soon.until(Asking.LONG, "half are forgotten", () -> fields() < MANY / 2);
      List<Long> first = scans();
      Soon.until(Asking.LONG, "few are left", () -> fields() < MANY / 20);
      assertThat(scans()).isNotEmpty();
      awaitForgotten(KEPT + 1);
      awaitSmallTable();
      Soon.until(Asking.LONG, "it is scanned more often", () -> count("HSCAN") > 5);
      List<Long> last = scans();
      assertThat(median(last))
          .as("microseconds of the last scans %s, where the first took %s", last, first)
          .isLessThan(5 * median(first));
    }
  }

  /** Redis would delete all that is left of it in one go, and answer nobody meanwhile. */
  @Test
  void aShelfDoesNotExpireWhileItIsSwept() {
    try (RedisStore store = joined(patient().storeClock(clock))) {
      fill(store);
      clock.advance(Duration.ofMinutes(2));
      Soon.until(Asking.LONG, "some are forgotten", () -> fields() < MANY);
      redis.command("PEXPIRE", "weir:{0}", "10000");
      Soon.until(Asking.LONG, "it is to last longer", () -> number("PTTL", "weir:{0}") > 50_000);
      awaitForgotten(KEPT + 1);
    }
  }

  /** While a child saves, Redis does not shrink tables; then it shrinks them by any factor. */
  @Test
  void aTableThatCouldNotShrinkInTimeIsNotScannedBeforeItHas() {
    try (RedisStore store = joined(patient().storeClock(clock))) {
      fill(store);
      clock.advance(Duration.ofMinutes(2));
      Soon.until(Asking.LONG, "half are forgotten", () -> fields() < MANY / 2);
      List<Long> first = scans();
      redis.command("CONFIG", "SET", "rdb-key-save-delay", "100000000");
      redis.command("BGSAVE");
      awaitForgotten(KEPT + 1);
      assertThat(info("persistence", "rdb_bgsave_in_progress")).isEqualTo(1);
      endSaving();
      assertThat(scans()).isNotEmpty();
      askFor(store, "1/minute", 1000);
      clock.advance(Duration.ofMinutes(2));
      awaitForgotten(KEPT + 1);
      awaitSmallTable();
      Soon.until(Asking.LONG, "it is scanned more often", () -> count("HSCAN") > 5);
      List<Long> afterwards = scans();
      assertThat(afterwards.get(afterwards.size() * 3 / 4)) // a busy machine holds up some
          .as("microseconds of scans %s, where the first took %s", afterwards, first)
          .isLessThan(10 * median(first));
    }
  }

  private void fill(RedisStore store) {
    for (int i = 0; i < KEPT; i++) {
      assertThat(take(store, LASTING, "kept" + i, 5).fits()).isTrue();
    }
    askFor(store, "1/minute", MANY);
    logEverything();
    assertThat(fields()).isEqualTo(MANY + KEPT + 1);
  }

  private static void askFor(RedisStore store, String limit, int callers) {
    Rule rule = Rule.named("brief").limit(limit).build();
    List<CompletableFuture<Outcome[]>> answers = new ArrayList<>();
    for (int i = 0; i < callers; i++) {
      answers.add(store.take(new Claim[] {claim(store, rule, "u" + i, 1)}, Mode.TAKE));
      if (i % 1000 == 999) {
        assertThat(answers).allMatch(answer -> answer.join()[0].fits());
        answers.clear();
      }
    }
  }

  private void endSaving() {
    ProcessHandle server = ProcessHandle.of(info("server", "process_id")).orElseThrow();
    assertThat(server.children().filter(ProcessHandle::destroyForcibly)).hasSize(1);
    Soon.until(
        Asking.LONG, "it saves no more", () -> info("persistence", "rdb_bgsave_in_progress") == 0);
  }

  private long info(String section, String name) {
    Matcher m =
        Pattern.compile("(?m)^" + name + ":(\\d+)")
            .matcher(String.valueOf(redis.command("INFO", section)));
    assertThat(m.find()).isTrue();
    return Long.parseLong(m.group(1));
  }

  private void logEverything() {
    redis.command("CONFIG", "SET", "slowlog-log-slower-than", "0", "slowlog-max-len", "100000");
    redis.command("SLOWLOG", "RESET");
  }

  /** How many microseconds each scan took since this was asked last, the shortest first. */
  private List<Long> scans() {
    List<Long> micros = new ArrayList<>();
    for (List<?> entry : newestFirst()) {
      if (command(entry).equals("HSCAN")) {
        micros.add((Long) entry.get(2));
      }
    }
    redis.command("SLOWLOG", "RESET");
    Collections.sort(micros);
    return micros;
  }

  private long count(String command) {
    return newestFirst().stream().filter(entry -> command(entry).equals(command)).count();
  }

  private boolean hasScannedSinceTheFlush() {
    return newestFirst().stream()
        .map(ForgettingTest::command)
        .takeWhile(command -> !command.equals("FLUSHALL"))
        .anyMatch("HSCAN"::equals);
  }

  /** What the server did since it logs everything. */
  private List<List<?>> newestFirst() {
    List<List<?>> entries = new ArrayList<>();
    for (Object entry : (List<?>) Objects.requireNonNull(redis.command("SLOWLOG", "GET", "-1"))) {
      entries.add((List<?>) entry);
    }
    return entries;
  }

  private static String command(List<?> entry) {
    return String.valueOf(((List<?>) entry.get(3)).get(0));
  }

  private static long median(List<Long> sorted) {
    return sorted.get(sorted.size() / 2);
  }

  private void awaitForgotten(int left) {
    Soon.until(Asking.LONG, "they are forgotten", () -> fields() <= left);
  }

  private void awaitSmallTable() {
    Soon.until(
        Asking.LONG,
        "the table shrinks",
        () -> number("MEMORY", "USAGE", "weir:{0}", "SAMPLES", "0") < 100_000);
  }

  private long fields() {
    return number("HLEN", "weir:{0}");
  }

  private RedisStore.Builder patient() {
    return RedisStore.at(redis.uri()).deadline(Asking.PATIENT);
  }

  private long number(String... command) {
    return Long.parseLong(String.valueOf(redis.command(command)));
  }
}
