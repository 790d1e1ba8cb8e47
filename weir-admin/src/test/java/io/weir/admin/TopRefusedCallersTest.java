package io.weir.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Request;
import io.weir.admin.TopRefusedCallers.RefusedCaller;
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

/** Finds the most refused callers within the error bounds of Space-Saving. */
class TopRefusedCallersTest {
  private static final List<String> PER = List.of("user");
  private static final int REFUSALS = 20_000;

  @RepeatedTest(10)
  void top_staysWithinTheSpaceSavingBounds(RepetitionInfo repetition) {
    long seed = repetition.getCurrentRepetition();
    Random random = new Random(seed);
    int callers = 1 + random.nextInt(5000);
    double skew = 1 + 4 * random.nextDouble();
    TopRefusedCallers topCallers = new TopRefusedCallers();
    Map<String, Long> actualCounts = new HashMap<>();
    for (int i = 0; i < REFUSALS; i++) {
      long key = (long) (callers * Math.pow(random.nextDouble(), skew));
      actualCounts.merge("u" + key, 1L, Long::sum);
      topCallers.record(1, key, PER, Request.of("user", "u" + key));
    }
    Map<String, RefusedCaller> reported = new HashMap<>();
    for (RefusedCaller caller : topCallers.top(1, REFUSALS)) {
      String user = caller.attributes().getOrDefault("user", "");
      reported.put(user, caller);
      long actual = actualCounts.getOrDefault(user, 0L);
      assertThat(caller.refused()).as("seed " + seed).isGreaterThanOrEqualTo(actual);
      assertThat(caller.atLeast()).as("seed " + seed).isLessThanOrEqualTo(actual);
      assertThat(caller.refused() - caller.atLeast()).isLessThanOrEqualTo(maxError());
    }
    assertThat(reported).hasSizeLessThanOrEqualTo(SpaceSavingSketch.CAPACITY);
    actualCounts.forEach(
        (user, actual) ->
            assertThat(actual <= maxError() || reported.containsKey(user)).as(user).isTrue());
  }

  private static long maxError() {
    return REFUSALS / SpaceSavingSketch.CAPACITY;
  }

  @Test
  void concurrentRefusals_areCountedOrSkippedWithoutWaiting() throws Exception {
    TopRefusedCallers topCallers = new TopRefusedCallers();
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
              topCallers.record(1, key, PER, request);
            }
          });
    }
    start.countDown();
    pool.shutdown();
    assertThat(pool.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
    long counted = topCallers.top(1, threads).stream().mapToLong(RefusedCaller::refused).sum();
    assertThat(counted + topCallers.skipped()).isEqualTo((long) threads * REFUSALS);
    assertThat(counted).isPositive();
  }
}
