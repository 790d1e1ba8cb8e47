package io.weir.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Request;
import io.weir.server.admin.TopRefusedCallers.RefusedCaller;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

/** The callers refused most are found among any number, within the stated bounds. */
class TopRefusedCallersTest {
  private static final List<String> PER = List.of("user");
  private static final int REFUSALS = 20_000;

  @RepeatedTest(10)
  void top_staysWithinTheSpaceSavingBounds(RepetitionInfo repetition) {
    long seed = repetition.getCurrentRepetition();
    Random random = new Random(seed);
    int callers = 1 + random.nextInt(5000);
    double skew = 1 + 4 * random.nextDouble();
    TopRefusedCallers found = new TopRefusedCallers();
    Map<String, Long> truth = new HashMap<>();
    for (int i = 0; i < REFUSALS; i++) {
      long key = (long) (callers * Math.pow(random.nextDouble(), skew));
      truth.merge("u" + key, 1L, Long::sum);
      found.record(1, key, PER, Request.of("user", "u" + key));
    }
    Map<String, RefusedCaller> shown = new HashMap<>();
    for (RefusedCaller caller : found.top(1, REFUSALS)) {
      String user = caller.attributes().getOrDefault("user", "");
      shown.put(user, caller);
      long real = truth.getOrDefault(user, 0L);
      assertThat(caller.refused()).as("seed " + seed).isGreaterThanOrEqualTo(real);
      assertThat(caller.atLeast()).as("seed " + seed).isLessThanOrEqualTo(real);
      assertThat(caller.refused() - caller.atLeast()).isLessThanOrEqualTo(maxError());
    }
    assertThat(shown).hasSizeLessThanOrEqualTo(SpaceSavingSketch.CAPACITY);
    truth.forEach(
        (user, real) ->
            assertThat(real <= maxError() || shown.containsKey(user)).as(user).isTrue());
  }

  private static long maxError() {
    return REFUSALS / SpaceSavingSketch.CAPACITY;
  }

  @Test
  void concurrentRefusals_areCountedOrSkippedWithoutWaiting() throws Exception {
    TopRefusedCallers found = new TopRefusedCallers();
    int threads = 8;
    CountDownLatch start = new CountDownLatch(1);
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    for (int t = 0; t < threads; t++) {
      Request request = Request.of("user", "u" + t);
      long key = t;
      pool.execute(
          () -> {
            try {
              start.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
            for (int i = 0; i < REFUSALS; i++) {
              found.record(1, key, PER, request);
            }
          });
    }
    start.countDown();
    pool.shutdown();
    assertThat(pool.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
    long counted = found.top(1, threads).stream().mapToLong(RefusedCaller::refused).sum();
    assertThat(counted + found.skipped()).isEqualTo((long) threads * REFUSALS);
    assertThat(counted).isPositive();
  }
}
