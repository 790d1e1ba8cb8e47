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

/** What any database keeps of the traffic, and of the nodes that share it. */
@Timeout(120)
abstract class TrafficContract extends DatabaseTest {
  private static final long NOON = 1_767_268_800; // a full hour

  @Test
  void whatNodesAddIsAddedUpAndOutlivesThem() {
    try (DatabaseRules here = DatabaseRules.open(url());
        DatabaseRules there = DatabaseRules.open(url())) {
      here.traffic().add(NOON + 5, List.of(new Said("b", 1, 2, 3), new Said("a", 10, 0, 0)));
      there.traffic().add(NOON + 59, List.of(new Said("a", 5, 1, 0)));
      there.traffic().add(NOON + 60, List.of(new Said("a", 7, 0, 0)));
    }
    Traffic kept = node().traffic();
    assertThat(kept.of("a", Step.MINUTE, NOON))
        .containsEntry(NOON, new Said("a", 15, 1, 0))
        .containsEntry(NOON + 60, new Said("a", 7, 0, 0))
        .hasSize(2);
    assertThat(kept.of("a", Step.HOUR, NOON)).containsEntry(NOON, new Said("a", 22, 1, 0));
    assertThat(kept.of("b", Step.HOUR, NOON)).containsEntry(NOON, new Said("b", 1, 2, 3));
    assertThat(kept.of("a", Step.MINUTE, NOON + 60)).containsOnlyKeys(NOON + 60);
    assertThat(kept.of("none", Step.HOUR, NOON)).isEmpty();
  }

  @Test
  void minutesAreKeptForADayAndHoursForNinety() {
    Traffic kept = node().traffic();
    long day = Step.MINUTE.kept().toSeconds();
    long longest = Step.HOUR.kept().toSeconds();
    kept.add(NOON, List.of(new Said("a", 1, 0, 0)));
    kept.add(NOON + day - 60, List.of(new Said("a", 2, 0, 0)));
    assertThat(kept.of("a", Step.MINUTE, 0)).containsKey(NOON);
    kept.add(NOON + day, List.of(new Said("a", 3, 0, 0)));
    assertThat(kept.of("a", Step.MINUTE, 0)).doesNotContainKey(NOON);
    assertThat(kept.of("a", Step.HOUR, 0)).containsKey(NOON);
    kept.add(NOON + longest, List.of());
    assertThat(kept.of("a", Step.HOUR, 0)).doesNotContainKey(NOON).hasSize(2);
    assertThat(kept.of("a", Step.MINUTE, 0)).isEmpty();
  }

  @Test
  void nodesThatAddAtTheSameTimeLoseNothing() throws Exception {
    int nodes = 3;
    int hours = 20;
    CyclicBarrier together = new CyclicBarrier(nodes);
    ExecutorService threads = Executors.newFixedThreadPool(nodes);
    try {
      List<Future<?>> adding = new ArrayList<>();
      for (int i = 0; i < nodes; i++) {
        Traffic traffic = node().traffic();
        adding.add(
            threads.submit(
                () -> {
                  for (int hour = 0; hour < hours; hour++) {
                    together.await(SOON.toMillis(), TimeUnit.MILLISECONDS); // all make its rows
                    long when = NOON + 3_600L * hour;
                    traffic.add(when, List.of(new Said("b", 1, 0, 0), new Said("a", 1, 1, 0)));
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
    Traffic kept = node().traffic();
    assertThat(kept.of("a", Step.HOUR, 0)).hasSize(hours);
    assertThat(kept.of("a", Step.HOUR, 0).values()).containsOnly(new Said("a", nodes, nodes, 0));
    assertThat(kept.of("b", Step.HOUR, 0).values()).containsOnly(new Said("b", nodes, 0, 0));
  }

  @Test
  void nodesSeeEachOther() {
    Nodes here = node().nodes();
    Nodes there = node().nodes();
    here.say("n1", "{\"revision\":1}");
    there.say("n2", "{\"revision\":1}");
    here.say("n1", "{\"revision\":2}");
    assertThat(there.list()).extracting(Nodes.Seen::name).containsExactly("n1", "n2");
    assertThat(there.list().get(0).body()).isEqualTo("{\"revision\":2}");
    assertThat(there.list().get(0).ago()).isLessThan(SOON);
  }
}
