package io.weir.internal.store.nodes;

import static io.weir.internal.store.nodes.SimulatedNodes.claim;
import static io.weir.internal.store.nodes.SimulatedNodes.take;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.internal.algorithm.Algorithms;
import io.weir.internal.rule.Claim;
import io.weir.internal.rule.CompiledRule;
import io.weir.internal.store.ClaimOutcome;
import io.weir.rule.Consistency;
import io.weir.rule.Rule;
import io.weir.rule.RuleBuilder;
import io.weir.store.StoreOperation;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RoutingStoreTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Consistency SYNCED = Consistency.synced(Duration.ofMillis(100));

  private final SimulatedNodes cluster = new SimulatedNodes();

  private static RuleBuilder rule(String id, String limit, Consistency consistency) {
    return Rule.named(id).limit(limit).consistency(consistency);
  }

  @Test
  void busyLeasedCounter_rarelyCallsStore() {
    Rule rule = rule("a", "100000/second", Consistency.LEASED).build();
    RoutingStore node = cluster.node();
    assertThat(cluster.sendEvenly(node, rule, 10_000, SECOND)).isEqualTo(10_000);
    assertThat(cluster.storeCalls).isLessThan(500);
  }

  @Test
  void leasedRule_admitsNoMoreThanExactRule() {
    Rule rule = rule("a", "1000/second", Consistency.LEASED).burst(500).build();
    List<RoutingStore> nodes = List.of(cluster.node(), cluster.node(), cluster.node());
    long began = cluster.micros();
    long admitted = 0;
    for (int i = 0; i < 30_000; i++) {
      admitted += take(nodes.get(i % 3), rule).admitted() ? 1 : 0;
      cluster.advance(Duration.ofNanos(166_000));
      long exact = 500 + (cluster.micros() - began) / 1000;
      assertThat(admitted).as("after %d", i).isLessThanOrEqualTo(exact);
    }
    assertThat(admitted).as("in five seconds").isGreaterThan(5440);
  }

  @Test
  void unspentLease_isReturned() {
    Rule rule = rule("a", "1000/day", Consistency.LEASED).build();
    RoutingStore node = cluster.node();
    int admitted = cluster.sendEvenly(node, rule, 400, Duration.ofMillis(400));
    assertThat(admitted).isEqualTo(400);
    assertThat(node.leasedPermits()).isPositive();
    cluster.advance(Duration.ofMillis(200));
    assertThat(node.leasedPermits()).isZero();
    assertThat(cluster.remaining(rule)).isEqualTo(600);
  }

  @Test
  void close_returnsLeasesAndReportsUsage() {
    Rule leased = rule("leased", "1000/day", Consistency.LEASED).build();
    Rule synced = rule("synced", "1000/day", SYNCED).build();
    RoutingStore node = cluster.node();
    cluster.sendEvenly(node, leased, 400, Duration.ofMillis(400));
    take(node, synced);
    take(node, synced);
    assertThat(node.unsyncedPermits()).as("the store decided the first request").isEqualTo(1);
    node.close();
    assertThat(cluster.remaining(leased)).isEqualTo(600);
    assertThat(cluster.remaining(synced)).isEqualTo(998);
  }

  @Test
  void lease_endsWithItsWindow() {
    Rule rule =
        rule("a", "1000/second", Consistency.LEASED)
            .algorithm(Algorithms.FIXED_WINDOW.name())
            .build();
    RoutingStore one = cluster.node();
    RoutingStore two = cluster.node();
    cluster.advance(Duration.ofNanos(1000 * (1_000_000 - cluster.micros() % 1_000_000)));
    for (int window = 0; window < 5; window++) {
      int admitted = 0;
      for (int i = 0; i < 2000; i++) {
        admitted += take(i % 2 == 0 ? one : two, rule).admitted() ? 1 : 0;
        cluster.advance(Duration.ofNanos(500_000));
      }
      assertThat(admitted).as("window %d", window).isBetween(950, 1000);
    }
  }

  @Test
  void leasedLeakyBucket_releasesRequestsOneByOne() {
    Rule rule =
        rule("a", "1000/second", Consistency.LEASED)
            .algorithm(Algorithms.LEAKY_BUCKET.name())
            .burst(1000)
            .build();
    RoutingStore node = cluster.node();
    long last = 0;
    for (int i = 0; i < 1500; i++) {
      ClaimOutcome o = take(node, rule);
      if (o.admitted()) {
        long out = cluster.micros() + o.delay();
        assertThat(out - last).as("request %d", i).isGreaterThanOrEqualTo(999);
        last = out;
      }
      cluster.advance(Duration.ofNanos(300_000));
    }
  }

  @Test
  void reset_appliesAtOnceOnThisNodeAndSoonElsewhere() {
    Rule rule = rule("a", "200/day", Consistency.LEASED).build();
    RoutingStore node = cluster.node();
    RoutingStore other = cluster.node();
    cluster.sendEvenly(node, rule, 400, Duration.ofMillis(400));
    cluster.sendEvenly(other, rule, 50, Duration.ofMillis(50));
    assertThat(take(node, rule).admitted()).isFalse();
    var unused =
        node.apply(new Claim[] {claim(rule, Claim.MAX_COST)}, StoreOperation.REFUND).join();
    assertThat(take(node, rule).admitted()).isTrue();
    cluster.advance(SECOND);
    assertThat(take(other, rule).admitted()).as("on another node within a second").isTrue();
  }

  @Test
  void leasedRuleWithoutStore_answersByFallback() {
    Rule rule = rule("a", "1000/second", Consistency.LEASED).build();
    RoutingStore node = cluster.node();
    cluster.sendEvenly(node, rule, 100, Duration.ofMillis(100));
    cluster.storeUnavailable = true;
    cluster.advance(SECOND);
    assertThat(take(node, rule).degraded()).isTrue();
    cluster.storeUnavailable = false;
    cluster.advance(SECOND);
    assertThat(take(node, rule).degraded()).isFalse();
  }

  @Test
  void syncedNodes_learnUsageOfEachOther() {
    Rule rule = rule("a", "100/day", SYNCED).build();
    RoutingStore one = cluster.node();
    RoutingStore two = cluster.node();
    take(one, rule);
    take(two, rule);
    assertThat(cluster.sendEvenly(one, rule, 59, Duration.ofMillis(59))).isEqualTo(59);
    assertThat(take(two, rule).remaining()).as("not synced yet").isEqualTo(97);
    cluster.advance(Duration.ofMillis(250));
    assertThat(take(two, rule).remaining()).isEqualTo(37);
    cluster.advance(Duration.ofMillis(250));
    assertThat(cluster.remaining(rule)).isEqualTo(37);
    assertThat(cluster.storeCalls).isLessThan(10);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"token-bucket", "leaky-bucket", "fixed-window", "sliding-log", "sliding-counter"})
  void syncedNodes_stayWithinOvershootBound(String algorithm) {
    Rule rule = rule("a", "300/second", SYNCED).algorithm(algorithm).build();
    List<RoutingStore> nodes = List.of(cluster.node(), cluster.node(), cluster.node());
    long bound = OvershootBound.of(CompiledRule.of(rule).limits().get(0), 3);
    cluster.advance(Duration.ofNanos(1000 * (1_000_000 - cluster.micros() % 1_000_000)));
    int admitted = 0;
    for (int i = 0; i < 6000; i++) {
      admitted += take(nodes.get(i % 3), rule).admitted() ? 1 : 0;
      cluster.advance(Duration.ofNanos(500_000));
    }
    assertThat((long) admitted).isLessThanOrEqualTo(300 + 3 * (300 + bound));
    assertThat(admitted).as("not much less than the limit").isGreaterThan(3 * 250);
  }

  @Test
  void usageDuringOutage_isReportedAfterIt() {
    Rule rule = rule("a", "1000/day", SYNCED).build();
    RoutingStore node = cluster.node();
    cluster.storeUnavailable = true;
    assertThat(cluster.sendEvenly(node, rule, 50, SECOND)).isEqualTo(50);
    assertThat(cluster.remaining(rule)).isEqualTo(1000);
    assertThat(node.unsyncedPermits()).isEqualTo(50);
    cluster.storeUnavailable = false;
    cluster.advance(SECOND);
    assertThat(cluster.remaining(rule)).isEqualTo(950);
    assertThat(node.unsyncedPermits()).isZero();
  }

  @Test
  void usageInPastWindow_isNotChargedToNextWindow() {
    Rule rule = rule("a", "100/second", SYNCED).algorithm(Algorithms.FIXED_WINDOW.name()).build();
    RoutingStore node = cluster.node();
    take(node, rule);
    cluster.advance(Duration.ofNanos(1000 * (1_000_000 - cluster.micros() % 1_000_000)));
    cluster.storeUnavailable = true;
    assertThat(cluster.sendEvenly(node, rule, 50, Duration.ofMillis(500))).isEqualTo(50);
    cluster.advance(Duration.ofMillis(700));
    cluster.storeUnavailable = false;
    cluster.advance(Duration.ofMillis(300));
    assertThat(cluster.remaining(rule)).isEqualTo(100);
  }

  @Test
  void requestWithMixedConsistency_isChargedAllOrNone() {
    Rule local = rule("local", "100/day", Consistency.LOCAL).build();
    Rule synced = rule("synced", "100/day", SYNCED).build();
    Rule exact = rule("exact", "2/day", Consistency.EXACT).build();
    RoutingStore node = cluster.node();
    Claim[] all = {claim(exact, 1), claim(local, 1), claim(synced, 1)};
    for (int i = 0; i < 10; i++) {
      ClaimOutcome[] outcomes = node.apply(all, StoreOperation.TAKE).join();
      assertThat(outcomes[0].admitted()).isEqualTo(i < 2);
      assertThat(outcomes[1].remaining()).isEqualTo(i < 2 ? 99 - i : 98);
      assertThat(outcomes[2].remaining()).isEqualTo(i < 2 ? 99 - i : 98);
    }
    ClaimOutcome[] left = node.apply(all, StoreOperation.PEEK).join();
    assertThat(left[1].remaining()).isEqualTo(98);
    assertThat(left[2].remaining()).isEqualTo(98);
    assertThat(cluster.remaining(exact)).isZero();
  }

  @Test
  void refusalByLocalRule_isCachedWithoutChargingStore() {
    Rule local = rule("local", "1/day", Consistency.LOCAL).build();
    Rule exact = rule("exact", "100/day", Consistency.EXACT).build();
    RoutingStore node = cluster.node();
    Claim[] both = {claim(exact, 1), claim(local, 1)};
    assertThat(node.apply(both, StoreOperation.TAKE).join()[1].admitted()).isTrue();
    int before = cluster.storeCalls;
    for (int i = 0; i < 100; i++) {
      ClaimOutcome[] outcomes = node.apply(both, StoreOperation.TAKE).join();
      assertThat(outcomes[1].admitted()).isFalse();
      assertThat(outcomes[0].remaining()).isEqualTo(99);
    }
    assertThat(cluster.storeCalls - before).isEqualTo(1);
  }

  @Test
  void exactRuleDuringLatencySpike_isAnsweredFromLocalView() {
    Rule rule = rule("a", "100/day", Consistency.EXACT).build();
    RoutingStore node = cluster.node(Duration.ofMillis(2));
    RoutingStore other = cluster.node();
    cluster.sendEvenly(other, rule, 40, Duration.ofMillis(40));
    assertThat(take(node, rule).remaining()).isEqualTo(59);
    cluster.storeLatencyMicros = 3_000;
    for (int i = 0; i < 3; i++) {
      take(node, rule);
    }
    ClaimOutcome spiking = take(node, rule);
    assertThat(spiking.degraded()).isTrue();
    assertThat(spiking.remaining()).as("from the local view").isEqualTo(55);
    int before = cluster.storeCalls;
    for (int i = 0; i < 20; i++) {
      take(node, rule);
    }
    assertThat(cluster.storeCalls - before).as("probes only").isLessThan(10);
    cluster.storeLatencyMicros = 0;
    for (int i = 0; i < 20; i++) {
      take(node, rule);
      cluster.advance(Duration.ofMillis(25));
    }
    cluster.advance(SECOND);
    assertThat(take(node, rule).degraded()).isFalse();
    assertThat(cluster.remaining(rule))
        .as("all usage is reported")
        .isEqualTo(100 - 40 - 4 - 1 - 20 - 20 - 1);
  }
}
