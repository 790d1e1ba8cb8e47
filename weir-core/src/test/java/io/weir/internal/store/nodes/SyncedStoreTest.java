package io.weir.internal.store.nodes;

import static io.weir.internal.store.nodes.SimulatedNodes.take;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.internal.algorithm.Algorithms;
import io.weir.internal.rule.Claim;
import io.weir.internal.store.MemoryStore;
import io.weir.rule.Consistency;
import io.weir.rule.Rule;
import io.weir.rule.RuleBuilder;
import io.weir.store.StoreOperation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nodes that sync their counters every interval: what they admit, keep and report. */
class SyncedStoreTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final SimulatedNodes cluster = new SimulatedNodes();

  private static RuleBuilder rule(String limit, Duration interval) {
    return Rule.named("synced").limit(limit).consistency(Consistency.synced(interval));
  }

  private List<RoutingStore> nodes(int count) {
    List<RoutingStore> nodes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      nodes.add(cluster.node());
    }
    return nodes;
  }

  /** Sends requests evenly over a time; returns how many are admitted. */
  private int admitted(List<RoutingStore> nodes, Rule rule, int requests, Duration time) {
    int admitted = 0;
    for (int i = 0; i < requests; i++) {
      admitted += take(nodes.get(i % nodes.size()), rule).admitted() ? 1 : 0;
      cluster.advance(time.dividedBy(requests));
    }
    return admitted;
  }

  @Test
  void slidingCounterInDebt_admitsLittleMoreThanLimit() {
    Rule rule =
        rule("6000/minute", Duration.ofMillis(100))
            .algorithm(Algorithms.SLIDING_COUNTER.name())
            .build();
    List<RoutingStore> nodes = nodes(4);
    Duration minute = Duration.ofMinutes(1);
    admitted(nodes, rule, 60_000, minute);
    assertThat(admitted(nodes, rule, 60_000, minute)).isBetween(5_900, 6_200);
  }

  @Test
  void hundredThousandCounters_areSyncedAndThenRemoved() {
    Rule rule = rule("10/hour", SECOND).algorithm(Algorithms.FIXED_WINDOW.name()).build();
    List<RoutingStore> nodes = nodes(3);
    Claim[][] claims = new Claim[100_000][];
    Arrays.setAll(claims, i -> new Claim[] {SimulatedNodes.claim(rule, "caller" + i)});
    byte[] admitted = new byte[claims.length];
    for (int second = 0; second < 4; second++) {
      for (int i = 0; i < claims.length; i++) {
        for (RoutingStore node : nodes) {
          for (int request = 0; request < 2; request++) {
            admitted[i] +=
                (byte) (node.apply(claims[i], StoreOperation.TAKE).join()[0].admitted() ? 1 : 0);
          }
        }
      }
      cluster.advance(SECOND);
    }
    for (int i = 0; i < claims.length; i++) {
      assertThat((int) admitted[i]).as("caller %d", i).isBetween(10, 10 + 2 * 6);
    }
    cluster.advance(Duration.ofMinutes(1));
    for (RoutingStore node : nodes) {
      assertThat(node.syncedCounters()).isZero();
      assertThat(node.unsyncedPermits()).isZero();
    }
  }

  @Test
  void newCallersEverySecond_areKeptForFewIntervals() {
    Rule rule = rule("100/minute", SECOND).build();
    RoutingStore node = cluster.node();
    for (int second = 0; second < 10; second++) {
      for (int i = 0; i < 4000; i++) {
        take(node, rule, second + "." + i, 1);
      }
      cluster.advance(SECOND);
      assertThat(node.syncedCounters()).isLessThanOrEqualTo(3 * 4000);
    }
  }

  @Test
  void countersAboveMaximum_areDecidedByStoreOrFallback() {
    Rule rule = rule("1/day", SECOND).build();
    EstimatedStoreClock time = new EstimatedStoreClock(cluster);
    SyncedView view = new SyncedView(new MemoryStore(time, 1 << 20));
    SyncedStore store =
        new SyncedStore(cluster.new SharedStoreStub(), cluster, time, cluster, view, 100);
    cluster.storeUnavailable = true;
    int degraded = 0;
    for (int i = 0; i < 1000; i++) {
      Claim[] claim = {SimulatedNodes.claim(rule, "caller" + i)};
      degraded += store.apply(claim, StoreOperation.TAKE).join()[0].degraded() ? 1 : 0;
    }
    assertThat(store.counters()).isEqualTo(100);
    assertThat(degraded).isEqualTo(900);
    cluster.storeUnavailable = false;
    assertThat(take(store, rule, "caller999", 2)).as("decided by the store").isEqualTo(1);
  }

  @Test
  void lag_growsDuringOutageAndEndsWithIt() {
    Rule rule = rule("100/minute", SECOND).build();
    RoutingStore node = cluster.node();
    take(node, rule, "caller", 2);
    cluster.advance(SECOND);
    assertThat(node.syncLagMicros()).isZero();
    cluster.storeUnavailable = true;
    take(node, rule, "caller", 2);
    cluster.advance(Duration.ofSeconds(10));
    assertThat(node.syncLagMicros()).isBetween(8_000_000L, 10_000_000L);
    cluster.storeUnavailable = false;
    cluster.advance(Duration.ofSeconds(3));
    assertThat(node.syncLagMicros()).isZero();
  }

  @ParameterizedTest
  @ValueSource(longs = {-5_000_000, -500_000, 5_000_000})
  void storeClockStep_doesNotRefillBucketsAtEverySync(long step) {
    Rule rule = rule("500/second", Duration.ofMillis(50)).build();
    List<RoutingStore> nodes = nodes(4);
    for (int i = 0; i < 3; i++) {
      admitted(nodes, rule, 10_000, SECOND);
    }
    cluster.storeAheadMicros = step;
    int once = step > 0 ? 500 : 0;
    assertThat(admitted(nodes, rule, 10_000, SECOND)).isLessThan(600 + once);
    for (int i = 0; i < 5; i++) {
      assertThat(admitted(nodes, rule, 10_000, SECOND)).isBetween(400, 600);
    }
  }

  @Test
  void nodeWithStaleView_asksStore() {
    Rule rule = rule("100/hour", SECOND).algorithm(Algorithms.FIXED_WINDOW.name()).build();
    List<RoutingStore> nodes = nodes(3);
    for (int caller = 0; caller < 100; caller++) {
      for (RoutingStore node : nodes) {
        take(node, rule, "caller" + caller, 60);
      }
    }
    cluster.advance(Duration.ofSeconds(4));
    for (int caller = 0; caller < 100; caller++) {
      for (RoutingStore node : nodes) {
        assertThat(take(node, rule, "caller" + caller, 40)).as("caller %d", caller).isZero();
      }
    }
  }

  @Test
  void admissionByStoreUnawareOfLocalUsage_isOverruled() {
    Rule rule =
        rule("10/hour", Duration.ofMinutes(1)).algorithm(Algorithms.FIXED_WINDOW.name()).build();
    RoutingStore node = cluster.node();
    cluster.storeUnavailable = true;
    assertThat(take(node, rule, "caller", 8)).isEqualTo(8);
    cluster.storeUnavailable = false;
    cluster.advance(Duration.ofMillis(200));
    assertThat(take(node, rule, "caller", 5)).as("the store knows no usage").isEqualTo(2);
    cluster.advance(Duration.ofMinutes(2));
    assertThat(take(node, rule, "caller", 5)).isZero();
  }
}
