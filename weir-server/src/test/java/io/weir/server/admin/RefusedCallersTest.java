package io.weir.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Request;
import io.weir.server.admin.RefusedCallers.Caller;
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
class RefusedCallersTest {
  private static final List<String> PER = List.of("user");
  private static final int REFUSALS = 20_000;

  @RepeatedTest(10)
  void theBoundsOfSpaceSavingHold(RepetitionInfo repetition) {
    long seed = repetition.getCurrentRepetition();
    Random random = new Random(seed);
    int callers = 1 + random.nextInt(5000);
    double skew = 1 + 4 * random.nextDouble();
    RefusedCallers found = new RefusedCallers();
    Map<String, Long> truth = new HashMap<>();
    for (int i = 0; i < REFUSALS; i++) {
      long key = (long) (callers * Math.pow(random.nextDouble(), skew));
      truth.merge("u" + key, 1L, Long::sum);
      found.refused(1, key, PER, Request.of("user", "u" + key));
    }
    Map<String, Caller> shown = new HashMap<>();
    for (Caller caller : found.most(1, REFUSALS)) {
      String user = caller.names().getOrDefault("user", "");
      shown.put(user, caller);
      long real = truth.getOrDefault(user, 0L);
      assertThat(caller.refused()).as("seed " + seed).isGreaterThanOrEqualTo(real);
      assertThat(caller.surely()).as("seed " + seed).isLessThanOrEqualTo(real);
      assertThat(caller.refused() - caller.surely()).isLessThanOrEqualTo(share());
    }
    assertThat(shown).hasSizeLessThanOrEqualTo(TopCallers.COUNTED);
    truth.forEach(
        (user, real) -> assertThat(real <= share() || shown.containsKey(user)).as(user).isTrue());
  }

  private static long share() {
    return REFUSALS / TopCallers.COUNTED;
  }

  @Test
  void nobodyWaitsAndWhatIsLeftOutIsCounted() throws Exception {
    RefusedCallers found = new RefusedCallers();
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
              found.refused(1, key, PER, request);
            }
          });
    }
    start.countDown();
    pool.shutdown();
    assertThat(pool.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
    long counted = found.most(1, threads).stream().mapToLong(Caller::refused).sum();
    assertThat(counted + found.leftOut()).isEqualTo((long) threads * REFUSALS);
    assertThat(counted).isPositive();
  }
}
