package io.weir.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.internal.rule.Claim;
import io.weir.internal.rule.CompiledRule;
import io.weir.internal.rule.Fingerprint;
import io.weir.rule.Rule;
import io.weir.rule.StoreFailureFallback;
import io.weir.store.Clock;
import io.weir.store.StoreOperation;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class MemoryStoreTest {
  private static final Fingerprint FINGERPRINT = Fingerprint.random();
  private static final long MEBIBYTE = 1 << 20;

  private final AtomicLong now = new AtomicLong(1_767_225_600_000_000L);

  @Test
  void keyFlood_staysWithinBudgetAndKeepsExhaustedKeys() {
    MemoryStore store = new MemoryStore(now::get, 32 * MEBIBYTE);
    Rule rule = rule("api", "100/minute");
    for (int i = 0; i < 1000; i++) {
      store.apply(new Claim[] {claim(rule, "exhausted " + i, 100)}, StoreOperation.TAKE).join();
    }
    int degraded = 0;
    for (int i = 0; i < 5_000_000; i++) {
      degraded += take(store, claim(rule, "flood " + i, 1)).degraded() ? 1 : 0;
    }
    assertThat(degraded).isZero();
    assertThat(store.bytes()).isLessThanOrEqualTo(32 * MEBIBYTE);
    assertThat(store.evicted()).isPositive();
    for (int i = 0; i < 1000; i++) {
      assertThat(take(store, claim(rule, "exhausted " + i, 1)).admitted()).isFalse();
    }
  }

  @Test
  void newKeyInStoreFullOfExhaustedKeys_getsFallback() {
    MemoryStore store = new MemoryStore(now::get, MEBIBYTE);
    Rule open = rule("open", "1/hour");
    Rule closed =
        rule("closed", "1/hour").edit().onStoreFailure(StoreFailureFallback.CLOSED).build();
    int kept = 0;
    int admitted = 0;
    for (int i = 0; i < 200_000; i++) {
      ClaimOutcome o = take(store, claim(open, "flood " + i, 1));
      admitted += o.admitted() ? 1 : 0;
      kept += o.degraded() ? 0 : 1;
    }
    assertThat(admitted).isEqualTo(200_000);
    assertThat(store.bytes()).isLessThanOrEqualTo(MEBIBYTE);
    assertThat(store.rejectedForSpace()).isEqualTo(200_000 - kept);
    assertThat(store.evicted()).isZero();
    assertThat(kept).isGreaterThan(20_000);
    int refused = 0;
    for (int i = 0; i < 100; i++) {
      ClaimOutcome o = take(store, claim(closed, "late " + i, 1));
      refused += o.degraded() && !o.admitted() && o.retryAfter() > 0 ? 1 : 0;
    }
    assertThat(refused).isGreaterThan(90);
    for (int i = 0; i < 200_000; i++) {
      ClaimOutcome o = take(store, claim(open, "flood " + i, 1));
      assertThat(o.degraded() || !o.admitted()).as("no exhausted key was evicted").isTrue();
    }
    now.addAndGet(Duration.ofHours(2).toNanos() / 1000);
    assertThat(take(store, claim(open, "after", 1)).degraded())
        .as("space is available again")
        .isFalse();
  }

  @Test
  void freshCounters_makeSpaceForNewOnes() {
    MemoryStore store = new MemoryStore(now::get, 16 * MEBIBYTE);
    Rule rule = rule("api", "10/second");
    for (int round = 0; round < 20; round++) {
      for (int i = 0; i < 50_000; i++) {
        assertThat(take(store, claim(rule, round + " " + i, 10)).admitted()).isTrue();
      }
      now.addAndGet(2_000_000);
    }
    assertThat(store.evicted() + store.rejectedForSpace()).isZero();
    assertThat(store.counters()).isLessThan(200_000);
  }

  @Test
  void decisionWithManyCounters_reservesSpaceForAllOfThem() {
    MemoryStore store = new MemoryStore(now::get, MEBIBYTE);
    for (int known = 1; known <= 12; known++) {
      for (int fresh = 1; fresh <= 12; fresh++) {
        Claim[] claims = new Claim[known + fresh];
        for (int i = 0; i < claims.length; i++) {
          claims[i] = claim(rule("rule-" + i, "10/second"), known + " and " + fresh, 1);
        }
        store.apply(Arrays.copyOf(claims, known), StoreOperation.TAKE).join();
        now.addAndGet(2_000_000); // these are fresh now, and are removed when the others need space
        for (int left = 9; left >= 0; left--) {
          assertThat(store.apply(claims, StoreOperation.TAKE).join())
              .as("%d known, %d new, %d left", known, fresh, left)
              .extracting(ClaimOutcome::remaining)
              .containsOnly((long) left);
        }
      }
    }
    assertThat(store.evicted() + store.rejectedForSpace()).isZero();
  }

  @Test
  void longStates_surviveGrowthAndEviction() {
    MemoryStore store = new MemoryStore(now::get, 64 * MEBIBYTE);
    Rule log = rule("log", "20/minute").edit().algorithm("sliding-log").build();
    Rule counter = rule("counter", "20/minute").edit().algorithm("sliding-counter").build();
    Random random = new Random(7);
    int[] logged = new int[5000];
    for (int step = 0; step < 100_000; step++) {
      now.addAndGet(100);
      int caller = random.nextInt(logged.length);
      Claim[] claims = {claim(log, "c" + caller, 1), claim(counter, "c" + caller, 1)};
      ClaimOutcome[] outcomes = store.apply(claims, StoreOperation.TAKE).join();
      boolean admitted = logged[caller] < 20;
      assertThat(outcomes[0].admitted()).isEqualTo(admitted);
      assertThat(outcomes[1].admitted()).isEqualTo(admitted);
      logged[caller] += admitted ? 1 : 0;
      assertThat(outcomes[0].remaining()).isEqualTo(20 - logged[caller]);
      assertThat(outcomes[1].remaining()).isEqualTo(20 - logged[caller]);
    }
  }

  @Test
  void longAndShortStatesInOneDecision_stayWithinBudget() {
    MemoryStore store = new MemoryStore(now::get, MEBIBYTE);
    Random random = new Random(11);
    List<Rule> rules = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      rules.add(rule("bucket-" + i, "40/minute"));
      int permits = 1 << random.nextInt(8);
      rules.add(rule("log-" + i, permits + "/minute").edit().algorithm("sliding-log").build());
    }
    for (int step = 0; step < 200_000; step++) {
      now.addAndGet(random.nextInt(500));
      String caller = "caller " + (step / 400 - random.nextInt(4));
      Claim[] claims = new Claim[1 + random.nextInt(rules.size())];
      for (int i = 0; i < claims.length; i++) {
        claims[i] = claim(rules.get(random.nextInt(rules.size())), caller, 1);
      }
      ClaimOutcome[] outcomes = store.apply(claims, StoreOperation.TAKE).join();
      assertThat(store.bytes()).isLessThanOrEqualTo(MEBIBYTE);
      for (ClaimOutcome o : outcomes) {
        assertThat(o.admitted() || !o.degraded())
            .as("a claim without space is admitted by the fallback")
            .isTrue();
      }
    }
    assertThat(store.evicted()).isPositive();
    assertThat(store.rejectedForSpace()).isPositive();
  }

  @Test
  void fewLongLogs_useSpaceOtherSegmentsLeave() {
    MemoryStore store = new MemoryStore(now::get, 16 * MEBIBYTE);
    Rule log = rule("log", "2000/hour").edit().algorithm("sliding-log").build();
    for (int i = 1; i <= 2000; i++) {
      now.addAndGet(100);
      for (int caller = 0; caller < 60; caller++) {
        assertThat(take(store, claim(log, "caller " + caller, 1)).remaining()).isEqualTo(2000 - i);
      }
    }
    assertThat(store.bytes()).isBetween(2 * MEBIBYTE, 16 * MEBIBYTE);
    assertThat(store.evicted() + store.rejectedForSpace()).isZero();
    now.addAndGet(Duration.ofHours(2).toNanos() / 1000);
    for (int i = 0; i < 100_000; i++) {
      take(store, claim(rule("api", "10/minute"), "caller " + i, 1));
    }
    assertThat(store.evicted() + store.rejectedForSpace()).as("space is returned").isZero();
    assertThat(store.bytes()).isLessThan(6 * MEBIBYTE);
  }

  @Test
  void manyThreads_getExactlyTheLimit() throws Exception {
    MemoryStore store = new MemoryStore(now::get);
    Rule rule = rule("api", "1000/hour");
    Claim[] claim = {claim(rule, "hot", 1)};
    ExecutorService pool = Executors.newFixedThreadPool(64);
    try {
      List<Future<Integer>> futures = new ArrayList<>();
      for (int t = 0; t < 64; t++) {
        futures.add(
            pool.submit(
                () -> {
                  int admitted = 0;
                  for (int i = 0; i < 1000; i++) {
                    admitted +=
                        store.apply(claim, StoreOperation.TAKE).join()[0].admitted() ? 1 : 0;
                  }
                  return admitted;
                }));
      }
      int total = 0;
      for (Future<Integer> future : futures) {
        total += future.get();
      }
      assertThat(total).isEqualTo(1000);
    } finally {
      pool.shutdownNow();
    }
  }

  @Test
  void bucketOnSystemClock_admitsBurstAndRate() throws Exception {
    MemoryStore store = new MemoryStore(Clock.system());
    Rule rule = rule("api", "100000/second").edit().burst(1000).build();
    Claim[] claim = {claim(rule, "hot", 1)};
    ExecutorService pool = Executors.newFixedThreadPool(8);
    try {
      List<Future<long[]>> futures = new ArrayList<>();
      for (int t = 0; t < 8; t++) {
        futures.add(
            pool.submit(
                () -> {
                  long first = Long.MAX_VALUE;
                  long last = 0;
                  long admitted = 0;
                  for (int i = 0; i < 100_000; i++) {
                    ClaimOutcome o = store.apply(claim, StoreOperation.TAKE).join()[0];
                    admitted += o.admitted() ? 1 : 0;
                    first = Math.min(first, o.time());
                    last = Math.max(last, o.time());
                  }
                  return new long[] {admitted, first, last};
                }));
      }
      long admitted = 0;
      long first = Long.MAX_VALUE;
      long last = 0;
      for (Future<long[]> future : futures) {
        admitted += future.get()[0];
        first = Math.min(first, future.get()[1]);
        last = Math.max(last, future.get()[2]);
      }
      assertThat(admitted).isLessThanOrEqualTo(1000 + (last - first) / 10 + 1);
    } finally {
      pool.shutdownNow();
    }
  }

  @Test
  void packedDuration_isNeverShorterAndAtMostThreePercentLonger() {
    for (long micros = 0; micros < 1L << 52; micros = micros * 33 / 32 + 1) {
      long decoded = PackedDuration.decode(PackedDuration.encode(micros));
      assertThat(decoded).isBetween(micros, micros + micros / 31);
      assertThat(PackedDuration.encode(micros)).isLessThan(1 << PackedDuration.BITS);
    }
  }

  @Test
  void systemClock_followsWallClockAndNeverStepsBack() {
    Clock clock = Clock.system();
    long before = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    long micros = clock.micros();
    long after = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    assertThat(micros).isBetween(before - 1_000_000, after + 1_000_000);
    assertThat(clock.wallMicros()).isBetween(before, after + 10_000_000);
    long last = 0;
    for (int i = 0; i < 100_000; i++) {
      long next = clock.micros();
      assertThat(next).isGreaterThanOrEqualTo(last);
      last = next;
    }
  }

  @Test
  void storeBelowMinimumSize_isRejected() {
    assertThatThrownBy(() -> new MemoryStore(now::get, 1000)).hasMessageContaining("1 MiB");
  }

  private static ClaimOutcome take(MemoryStore store, Claim claim) {
    return store.apply(new Claim[] {claim}, StoreOperation.TAKE).join()[0];
  }

  private static Claim claim(Rule rule, String caller, long cost) {
    return Claim.of(CompiledRule.of(rule).limits().get(0), FINGERPRINT.of(caller), cost);
  }

  private static Rule rule(String id, String limit) {
    return Rule.named(id).per("user").limit(limit).build();
  }
}
