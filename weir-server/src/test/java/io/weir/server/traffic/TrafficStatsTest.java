package io.weir.server.traffic;

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

/** Seconds are told apart, and minutes are kept. */
class TrafficStatsTest {
  private static final long NOON = 1_767_268_800;

  private final Map<String, RuleCounts> counts = new HashMap<>();
  private long degraded;
  private final MemoryTrafficHistory history = new MemoryTrafficHistory();
  private final StoreLatency latency = new StoreLatency();
  private final TrafficStats stats = newStats(history);

  private TrafficStats newStats(TrafficHistoryStore kept) {
    TrafficStats.TrafficTotals soFar =
        new TrafficStats.TrafficTotals() {
          @Override
          public RuleCounts requests() {
            RuleCounts all = counts.values().stream().reduce(RuleCounts.zero(""), RuleCounts::plus);
            return new RuleCounts(RuleCounts.WHOLE_REQUESTS, all.allowed(), all.refused(), 0);
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
    return new TrafficStats(soFar, kept, latency);
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
    long told = second.rules().values().stream().mapToLong(RuleCounts::allowed).sum();
    assertThat(told).as("nothing is lost").isEqualTo(10_000L * 10_001 / 2);
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
    boolean[] away = {true};
    DatabaseRules gone = DatabaseRules.open("jdbc:h2:mem:gone");
    gone.close();
    TrafficHistoryStore moody =
        new TrafficHistoryStore() {
          @Override
          public void add(long second, Collection<RuleCounts> said) {
            if (away[0]) {
              gone.traffic().add(second, said);
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
    TrafficStats waiting = newStats(moody);
    counts.put("api", new RuleCounts("api", 5, 0, 0));
    waiting.sample(NOON);
    waiting.flushMinutes(NOON + 60);
    away[0] = false;
    waiting.flushMinutes(NOON + 65);
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
    StoreLatency.LatencyPercentiles taken = stats.sample(NOON).storeLatency();
    assertThat(taken.answers()).isEqualTo(101);
    assertThat(taken.median()).isBetween(180L, 220L);
    assertThat(taken.p99()).isBetween(3600L, 4400L);
    assertThat(stats.sample(NOON + 1).storeLatency())
        .isEqualTo(StoreLatency.LatencyPercentiles.NONE);
  }
}
