package io.weir.rules.database;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Traffic counts and nodes in any database. */
@Timeout(120)
abstract class TrafficTableContract extends DatabaseTestBase {
  private static final long NOON = 1_767_268_800; // a full hour

  @Test
  void countsOfAllNodes_areSummedAndPersisted() {
    try (DatabaseRules here = DatabaseRules.open(url());
        DatabaseRules there = DatabaseRules.open(url())) {
      here.traffic()
          .add(NOON + 5, List.of(new RuleCounts("b", 1, 2, 3), new RuleCounts("a", 10, 0, 0)));
      there.traffic().add(NOON + 59, List.of(new RuleCounts("a", 5, 1, 0)));
      there.traffic().add(NOON + 60, List.of(new RuleCounts("a", 7, 0, 0)));
    }
    TrafficTable traffic = openNode().traffic();
    assertThat(traffic.countsOf("a", TrafficResolution.MINUTE, NOON))
        .containsEntry(NOON, new RuleCounts("a", 15, 1, 0))
        .containsEntry(NOON + 60, new RuleCounts("a", 7, 0, 0))
        .hasSize(2);
    assertThat(traffic.countsOf("a", TrafficResolution.HOUR, NOON))
        .containsEntry(NOON, new RuleCounts("a", 22, 1, 0));
    assertThat(traffic.countsOf("b", TrafficResolution.HOUR, NOON))
        .containsEntry(NOON, new RuleCounts("b", 1, 2, 3));
    assertThat(traffic.countsOf("a", TrafficResolution.MINUTE, NOON + 60))
        .containsOnlyKeys(NOON + 60);
    assertThat(traffic.countsOf("none", TrafficResolution.HOUR, NOON)).isEmpty();
  }

  @Test
  void minutes_areKeptADayAndHoursNinetyDays() {
    TrafficTable traffic = openNode().traffic();
    long day = TrafficResolution.MINUTE.retention().toSeconds();
    long longest = TrafficResolution.HOUR.retention().toSeconds();
    traffic.add(NOON, List.of(new RuleCounts("a", 1, 0, 0)));
    traffic.add(NOON + day - 60, List.of(new RuleCounts("a", 2, 0, 0)));
    assertThat(traffic.countsOf("a", TrafficResolution.MINUTE, 0)).containsKey(NOON);
    traffic.add(NOON + day, List.of(new RuleCounts("a", 3, 0, 0)));
    assertThat(traffic.countsOf("a", TrafficResolution.MINUTE, 0)).doesNotContainKey(NOON);
    assertThat(traffic.countsOf("a", TrafficResolution.HOUR, 0)).containsKey(NOON);
    traffic.add(NOON + longest, List.of());
    assertThat(traffic.countsOf("a", TrafficResolution.HOUR, 0)).doesNotContainKey(NOON).hasSize(2);
    assertThat(traffic.countsOf("a", TrafficResolution.MINUTE, 0)).isEmpty();
  }

  @Test
  void concurrentAdds_loseNothing() throws Exception {
    int nodes = 3;
    int hours = 20;
    CyclicBarrier barrier = new CyclicBarrier(nodes);
    ExecutorService threads = Executors.newFixedThreadPool(nodes);
    try {
      List<Future<?>> adding = new ArrayList<>();
      for (int i = 0; i < nodes; i++) {
        TrafficTable traffic = openNode().traffic();
        adding.add(
            threads.submit(
                () -> {
                  for (int hour = 0; hour < hours; hour++) {
                    barrier.await(
                        MAX_DELAY.toMillis(), TimeUnit.MILLISECONDS); // all insert its rows
                    long when = NOON + 3_600L * hour;
                    traffic.add(
                        when, List.of(new RuleCounts("b", 1, 0, 0), new RuleCounts("a", 1, 1, 0)));
                  }
                  return true;
                }));
      }
      for (Future<?> each : adding) {
        each.get();
      }
    } finally {
      threads.shutdownNow();
    }
    TrafficTable traffic = openNode().traffic();
    assertThat(traffic.countsOf("a", TrafficResolution.HOUR, 0)).hasSize(hours);
    assertThat(traffic.countsOf("a", TrafficResolution.HOUR, 0).values())
        .containsOnly(new RuleCounts("a", nodes, nodes, 0));
    assertThat(traffic.countsOf("b", TrafficResolution.HOUR, 0).values())
        .containsOnly(new RuleCounts("b", nodes, 0, 0));
  }

  @Test
  void nodes_seeEachOther() {
    NodeRegistry here = openNode().nodes();
    NodeRegistry there = openNode().nodes();
    here.report("n1", "{\"revision\":1}");
    there.report("n2", "{\"revision\":1}");
    here.report("n1", "{\"revision\":2}");
    assertThat(there.list())
        .extracting(NodeRegistry.RegisteredNode::name)
        .containsExactly("n1", "n2");
    assertThat(there.list().get(0).body()).isEqualTo("{\"revision\":2}");
    assertThat(there.list().get(0).age()).isLessThan(MAX_DELAY);
  }
}
