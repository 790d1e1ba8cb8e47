package io.weir.internal.store.nodes;

import static io.weir.internal.store.nodes.SimulatedNodes.take;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.internal.algorithm.Algorithms;
import io.weir.rule.Consistency;
import io.weir.rule.Rule;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Leased permits, which are spent after they are charged, keep to the limit in every window. */
class LeasedWindowsTest {
  private static final int LIMIT = 1000;
  private static final long PERIOD_MICROS = 1_000_000;

  private final SimulatedNodes cluster = new SimulatedNodes();

  /** Bursts of requests at irregular times on several nodes. */
  private abstract class BurstTraffic {
    void run(Rule rule, int seed) {
      Random random = new Random(seed);
      RoutingStore[] nodes = new RoutingStore[1 + seed % 3];
      for (int i = 0; i < nodes.length; i++) {
        nodes[i] = cluster.node();
      }
      for (int step = 0; step < 400; step++) {
        RoutingStore node = nodes[random.nextInt(nodes.length)];
        for (int i = random.nextInt(60); i > 0; i--) {
          if (take(node, rule).admitted()) {
            onAdmitted(cluster.micros());
          }
        }
        int micros = random.nextInt(20) == 0 ? random.nextInt(900_000) : random.nextInt(25_000);
        cluster.advance(Duration.ofNanos(micros * 1000L));
      }
    }

    abstract void onAdmitted(long time);
  }

  private static Rule rule(String algorithm) {
    return Rule.named("leased")
        .limit(LIMIT + "/second")
        .algorithm(algorithm)
        .consistency(Consistency.LEASED)
        .build();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3, 4, 6, 7})
  void slidingLog_holdsTheLimitInEveryTrailingPeriod(int seed) {
    ArrayDeque<Long> window = new ArrayDeque<>();
    new BurstTraffic() {
      @Override
      void onAdmitted(long time) {
        window.add(time);
        while (window.getFirst() <= time - PERIOD_MICROS) {
          window.removeFirst();
        }
        assertThat(window).hasSizeLessThanOrEqualTo(LIMIT);
      }
    }.run(rule(Algorithms.SLIDING_LOG.name()), seed);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3, 4, 6, 7})
  void tokenBucket_admitsAtMostBurstPlusRateInAnyInterval(int seed) {
    double[] used = {0, cluster.micros()};
    new BurstTraffic() {
      @Override
      void onAdmitted(long time) {
        double refilled = (time - used[1]) * LIMIT / PERIOD_MICROS;
        used[0] = Math.max(0, used[0] - refilled) + 1;
        used[1] = time;
        assertThat(used[0]).isLessThanOrEqualTo(LIMIT + 0.01);
      }
    }.run(rule(Algorithms.TOKEN_BUCKET.name()), seed);
  }
}
