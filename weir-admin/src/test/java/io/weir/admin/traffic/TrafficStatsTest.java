package io.weir.admin.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rules.database.DatabaseRules;
import io.weir.rules.database.RuleCounts;
import io.weir.rules.database.TrafficResolution;
import io.weir.store.StoreOperation;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import org.junit.jupiter.api.Test;

/** Samples seconds and flushes minutes. */
class TrafficStatsTest {
  private static final long NOON = 1_767_268_800;

  private final Map<String, RuleCounts> counts = new HashMap<>();
  private long degraded;
  private final MemoryTrafficHistory history = new MemoryTrafficHistory();
  private final StoreLatency latency = new StoreLatency();
  private final TrafficStats stats = newStats(history);

  private TrafficStats newStats(TrafficHistoryStore trafficHistory) {
    TrafficStats.TrafficTotals totals =
        new TrafficStats.TrafficTotals() {
          @Override
          public RuleCounts requests() {
            RuleCounts sum = counts.values().stream().reduce(RuleCounts.zero(""), RuleCounts::plus);
            return new RuleCounts(RuleCounts.WHOLE_REQUESTS, sum.allowed(), sum.refused(), 0);
          }

          @Override
          public Map<String, RuleCounts> rules() {
            return new HashMap<>(counts);
          }

          @Override
          public long degraded() {
            return degraded;
          }
        };
    return new TrafficStats(totals, trafficHistory, latency);
  }

  @Test
  void sample_containsOnlyTheCountsSinceTheLastSample() {
    counts.put("api", new RuleCounts("api", 10, 2, 0));
    degraded = 3;
    assertThat(stats.sample(NOON).rules()).containsEntry("api", new RuleCounts("api", 10, 2, 0));
    counts.put("api", new RuleCounts("api", 11, 2, 0));
    counts.put("quiet", new RuleCounts("quiet", 0, 0, 4));
    TrafficSecond second = stats.sample(NOON + 1);
    assertThat(second.rules())
        .containsEntry("api", new RuleCounts("api", 1, 0, 0))
        .containsEntry("quiet", new RuleCounts("quiet", 0, 0, 4));
    assertThat(second.requests()).isEqualTo(new RuleCounts(RuleCounts.WHOLE_REQUESTS, 1, 0, 4));
    assertThat(second.degraded()).isZero();
    assertThat(stats.sample(NOON + 2).rules()).isEmpty();
  }

  @Test
  void recreatedRule_countsFromZero() {
    counts.put("api", new RuleCounts("api", 100, 0, 0));
    stats.sample(NOON);
    counts.put("api", new RuleCounts("api", 3, 0, 0));
    assertThat(stats.sample(NOON + 1).rules()).containsEntry("api", new RuleCounts("api", 3, 0, 0));
  }

  @Test
  void seconds_areKeptForFiveMinutes() {
    for (int i = 0; i < 400; i++) {
      stats.sample(NOON + i);
    }
    assertThat(stats.seconds()).hasSize(300);
    assertThat(stats.seconds().get(0).time()).isEqualTo(NOON + 100);
  }

  @Test
  void manyRules_topRulesAreSeparateAndTheRestIsSummed() {
    for (int i = 0; i < 10_000; i++) {
      counts.put("r" + i, new RuleCounts("r" + i, i + 1, 0, 0));
    }
    TrafficSecond second = stats.sample(NOON);
    assertThat(second.rules()).hasSize(TopRules.MAX_RULES + 1).containsKey("r9999").containsKey("");
    long total = second.rules().values().stream().mapToLong(RuleCounts::allowed).sum();
    assertThat(total).as("the sum of all rules").isEqualTo(10_000L * 10_001 / 2);
  }

  @Test
  void endedMinutes_areFlushedToTheHistory() {
    counts.put("api", new RuleCounts("api", 5, 1, 0));
    stats.sample(NOON + 59);
    stats.flushMinutes(NOON + 59);
    assertThat(history.of("api", TrafficResolution.MINUTE, 0)).isEmpty();
    stats.flushMinutes(NOON + 60);
    assertThat(history.of("api", TrafficResolution.MINUTE, 0))
        .containsEntry(NOON, new RuleCounts("api", 5, 1, 0));
    assertThat(history.of(RuleCounts.WHOLE_REQUESTS, TrafficResolution.HOUR, 0))
        .containsEntry(NOON, new RuleCounts(RuleCounts.WHOLE_REQUESTS, 5, 1, 0));
    stats.flushMinutes(NOON + 120);
    assertThat(history.of("api", TrafficResolution.HOUR, 0))
        .containsEntry(NOON, new RuleCounts("api", 5, 1, 0));
  }

  @Test
  void unavailableHistory_isRetried() {
    boolean[] unavailable = {true};
    DatabaseRules closedDatabase = DatabaseRules.open("jdbc:h2:mem:gone");
    closedDatabase.close();
    TrafficHistoryStore flakyHistory =
        new TrafficHistoryStore() {
          @Override
          public void add(long second, Collection<RuleCounts> said) {
            if (unavailable[0]) {
              closedDatabase.traffic().add(second, said);
            }
            history.add(second, said);
          }

          @Override
          public NavigableMap<Long, RuleCounts> of(String rule, TrafficResolution step, long from) {
            return history.of(rule, step, from);
          }

          @Override
          public boolean isPersistent() {
            return true;
          }
        };
    TrafficStats trafficStats = newStats(flakyHistory);
    counts.put("api", new RuleCounts("api", 5, 0, 0));
    trafficStats.sample(NOON);
    trafficStats.flushMinutes(NOON + 60);
    unavailable[0] = false;
    trafficStats.flushMinutes(NOON + 65);
    assertThat(history.of("api", TrafficResolution.MINUTE, 0))
        .containsEntry(NOON, new RuleCounts("api", 5, 0, 0));
  }

  @Test
  void memoryHistory_hasTheSameRetentionAsTheDatabase() {
    history.add(NOON, List.of(new RuleCounts("api", 1, 0, 0)));
    history.add(NOON + 86_400, List.of(new RuleCounts("api", 2, 0, 0)));
    assertThat(history.of("api", TrafficResolution.MINUTE, 0)).hasSize(1);
    assertThat(history.of("api", TrafficResolution.HOUR, 0)).hasSize(2);
    history.add(NOON + 90 * 86_400L, List.of());
    assertThat(history.of("api", TrafficResolution.HOUR, 0)).hasSize(1);
  }

  @Test
  void latencyPercentiles_areAccurateToTenPercent() {
    for (int i = 0; i < 99; i++) {
      latency.listener().onAnswer(StoreOperation.TAKE, 200);
    }
    latency.listener().onAnswer(StoreOperation.TAKE, 4000);
    latency.listener().onAnswer(StoreOperation.TAKE, 5000);
    StoreLatency.LatencyPercentiles percentiles = stats.sample(NOON).storeLatency();
    assertThat(percentiles.answers()).isEqualTo(101);
    assertThat(percentiles.median()).isBetween(180L, 220L);
    assertThat(percentiles.p99()).isBetween(3600L, 4400L);
    assertThat(stats.sample(NOON + 1).storeLatency())
        .isEqualTo(StoreLatency.LatencyPercentiles.NONE);
  }
}
