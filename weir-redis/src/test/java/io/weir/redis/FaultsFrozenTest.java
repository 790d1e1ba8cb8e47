package io.weir.redis;

import static io.weir.redis.Asking.D;
import static io.weir.redis.Asking.LONG;
import static io.weir.redis.Asking.PATIENT;
import static io.weir.redis.Asking.budget;
import static io.weir.redis.Asking.claim;
import static io.weir.redis.Asking.joined;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.redis.Load.Sample;
import io.weir.rule.Claim;
import io.weir.rule.Posture;
import io.weir.rule.Rule;
import io.weir.store.Mode;
import io.weir.store.Outcome;
import io.weir.testkit.LogLines;
import io.weir.testkit.Soon;
import io.weir.testkit.redis.RedisProcess;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A server that stands still with all connections open, as a stopped process or a pause. */
@Tag("slow")
class FaultsFrozenTest {
  private static final int CALLERS = 16;
  private static final int BUDGET = 400_000;
  private static final int SHARE = BUDGET / 100;
  private static final int MARGIN_MICROS = 10_000;
  private static final Duration SIGNALS = Duration.ofSeconds(1);
  private static final Duration AGAIN = Duration.ofSeconds(2);
  private static final long HEAP_GROWTH = 8L << 20;
  private static final long SAMPLE_BYTES = 200;

  @ParameterizedTest(name = "A1 Redis frozen {1} s, posture {0}")
  @CsvSource({"OPEN, 5", "CLOSED, 2", "LOCAL, 2"})
  void a1_frozen(Posture.Answer answer, int seconds) {
    boolean local = answer == Posture.Answer.LOCAL;
    Rule rule = budget("a1", BUDGET, new Posture(answer, local ? 1 : 0));
    Rule other = budget("a1-after", 50, Posture.CLOSED);
    Heard heard = new Heard();
    try (LogLines log = new LogLines();
        RedisProcess redis = RedisProcess.start();
        RedisStore patient = joined(RedisStore.at(redis.uri()).deadline(PATIENT));
        RedisStore store = joined(RedisStore.at(redis.uri()).deadline(D).listener(heard));
        Load load = Load.on(store, CALLERS, i -> new Claim[] {claim(store, rule, "all", 1)})) {
      Duration opening = Asking.opening(redis);
      Soon.until(LONG, "a steady load", () -> load.inARow() > 5000);
      int threads = Thread.activeCount();
      int before = load.asked();

      int lines = log.lines().size();
      redis.freeze();
      long frozen = Load.now();
      Soon.until(
          SIGNALS.plus(opening),
          "the signals",
          () -> heard.failed.get() > 0 && heard.lost.get() > 0 && !store.health().available());
      int asked = load.asked();
      long heap = heap();
      Soon.pass(Duration.ofSeconds(seconds).minusNanos((Load.now() - frozen) * 1000));
      Soon.until(LONG, "enough to tell", () -> load.asked() - before > 20_000);
      assertThat(Thread.activeCount()).as("threads").isLessThanOrEqualTo(threads + 2);
      long samples = SAMPLE_BYTES * (load.asked() - asked);
      assertThat(heap() - heap).as("heap growth").isLessThan(HEAP_GROWTH + samples);
      assertThat(store.health().degraded()).isPositive();
      assertThat(log.lines().subList(lines, log.lines().size()))
          .anyMatch(line -> line.contains("the store is lost"))
          .hasSizeLessThan(20);
      long thawed = Load.now();
      redis.thaw();

      Soon.until(AGAIN.plus(opening), "exact again", () -> load.inARow() > 200);
      assertThat(store.health().available()).isTrue();
      assertThat(heard.found.get()).isPositive();
      List<Sample> all = load.stop();
      List<Sample> meanwhile =
          all.stream().filter(s -> s.began() > frozen && s.ended() < thawed).toList();
      assertThat(Load.p99(meanwhile)).as("p99 while frozen").isLessThanOrEqualTo(inTime(meanwhile));
      assertThat(meanwhile).allMatch(Sample::degraded);
      switch (answer) {
        case OPEN -> assertThat(meanwhile).allMatch(Sample::fits);
        case CLOSED -> assertThat(meanwhile).noneMatch(Sample::fits);
        case LOCAL -> assertThat(all.stream().filter(s -> s.degraded() && s.fits())).hasSize(SHARE);
      }
      long counted = all.stream().filter(Sample::admitted).count();
      Soon.until(LONG, "the other too", () -> !Asking.peek(patient, other, "after").degraded());
      assertThat(Asking.admitted(patient, other, "after", 60)).isEqualTo(50);
      assertThat(Asking.used(patient, rule, "all"))
          .as("charged: the admitted, and at most those that were in flight")
          .isBetween(counted, counted + 1024);
    }
  }

  @Test
  @DisplayName("A2 phantom charges: what timed out is charged on thaw, up to maxInFlight")
  void a2_phantomCharges() {
    int cap = 1 + 16; // one is sent at once, and as soon as they are worth it, the others
    Rule rule = budget("a2", 10_000, Posture.CLOSED);
    try (RedisProcess redis = RedisProcess.start();
        RedisStore store = joined(RedisStore.at(redis.uri()).deadline(D).maxInFlight(cap))) {
      assertThat(Asking.used(store, rule, "x")).isZero();
      redis.freeze();
      List<CompletableFuture<Outcome[]>> asked = new ArrayList<>();
      for (int wave = 0; wave < 70; wave++) { // until after calls were given up, several times
        for (int i = 0; i < 20; i++) {
          asked.add(store.take(new Claim[] {claim(store, rule, "x", 1)}, Mode.TAKE));
        }
        Soon.pass(D);
      }
      assertThat(asked).hasSize(1400).allMatch(a -> a.join()[0].degraded());
      redis.thaw();
      assertThat(Asking.used(store, rule, "x")).as("charged unheard").isBetween(1L, (long) cap);
    }
  }

  @ParameterizedTest(name = "A3 paused: CLIENT PAUSE 3000 {0}")
  @CsvSource({"ALL", "WRITE"})
  void a3_paused(String what) {
    try (RedisProcess redis = RedisProcess.start();
        RedisStore store = joined(RedisStore.at(redis.uri()).deadline(D));
        Marked marked = Marked.on(store, 32)) {
      Duration opening = Asking.opening(redis);
      marked.steady();
      redis.command("CLIENT", "PAUSE", "3000", what);
      Soon.until(SIGNALS.plus(opening), "signals", () -> !store.health().available());
      Soon.until(LONG, "exact again", () -> marked.load().inARow() > 1000);
      Soon.until(LONG, "enough to tell", () -> marked.load().asked() > 20_000);
      assertThat(marked.load().degraded()).isPositive();
      List<Sample> all = marked.check();
      assertThat(Load.p99(all)).isLessThanOrEqualTo(inTime(all));
    }
  }

  /** The deadline, a margin, and what the machine costs meanwhile. */
  private static long inTime(List<Sample> samples) {
    return D.toMillis() * 1000 + MARGIN_MICROS + Load.p99Lag(samples);
  }

  private static long heap() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
