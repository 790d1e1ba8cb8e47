package io.weir.internal.store.nodes;

import static io.weir.internal.store.nodes.SimulatedNodes.claim;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.internal.rule.Claim;
import io.weir.internal.store.ClaimOutcome;
import io.weir.rule.Consistency;
import io.weir.rule.Rule;
import io.weir.store.StoreOperation;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RefusalCacheTest {
  private final SimulatedNodes cluster = new SimulatedNodes();

  private static Rule rule(String id, String limit, Consistency.CountingMode kind) {
    return Rule.named(id).limit(limit).consistency(new Consistency(kind, Duration.ZERO)).build();
  }

  @ParameterizedTest
  @EnumSource(
      value = Consistency.CountingMode.class,
      names = {"EXACT", "LEASED"})
  void resetOfOneRule_appliesAtOnceToRequestsMatchingTwoRules(Consistency.CountingMode kind) {
    Rule tight = rule("tight", "20/day", kind);
    Rule wide = rule("wide", "1000/day", Consistency.CountingMode.LEASED);
    RoutingStore node = cluster.node();
    Claim[] both = {claim(tight, 1), claim(wide, 1)};
    for (int i = 0; i < 60; i++) {
      node.apply(both, StoreOperation.TAKE).join();
      cluster.advance(Duration.ofMillis(1));
    }
    assertThat(node.apply(both, StoreOperation.TAKE).join()[0].admitted()).isFalse();
    node.apply(new Claim[] {claim(tight, Claim.MAX_COST)}, StoreOperation.REFUND).join();
    assertThat(node.apply(both, StoreOperation.TAKE).join()[0].admitted()).isTrue();
  }

  @Test
  void answerSentBeforeReset_isNotCached() {
    Rule rule = rule("a", "1/day", Consistency.CountingMode.EXACT);
    RefusalCache refusals = new RefusalCache(cluster);
    Claim[] claims = {claim(rule, 1)};
    long sent = cluster.micros();
    cluster.advance(Duration.ofMillis(1));
    refusals.invalidate(claims);
    ClaimOutcome refused = new ClaimOutcome(false, false, 0, 1_000_000, 1_000_000, sent);
    refusals.put(claims, new ClaimOutcome[] {refused}, sent);
    assertThat(refusals.get(claims)).isNull();
    cluster.advance(Duration.ofMillis(1));
    refusals.put(claims, new ClaimOutcome[] {refused}, cluster.micros());
    assertThat(refusals.get(claims)).isNotNull();
  }

  @Test
  void refusalOnSeveralCounters_isInvalidatedByRefundOfOne() {
    Rule one = rule("one", "1/day", Consistency.CountingMode.EXACT);
    Rule other = rule("other", "1/day", Consistency.CountingMode.EXACT);
    RefusalCache refusals = new RefusalCache(cluster);
    Claim[] both = {claim(one, 1), claim(other, 1)};
    ClaimOutcome refused =
        new ClaimOutcome(false, false, 0, 1_000_000, 1_000_000, cluster.micros());
    refusals.put(both, new ClaimOutcome[] {refused, refused}, cluster.micros());
    assertThat(refusals.get(both)).isNotNull();
    cluster.advance(Duration.ofMillis(1));
    refusals.invalidate(new Claim[] {claim(other, 1)});
    assertThat(refusals.get(both)).isNull();
  }

  @Test
  void limitThatDidNotRefuse_isCheckedAgainSooner() {
    Rule local = rule("local", "1/day", Consistency.CountingMode.LOCAL);
    Rule exact = rule("exact", "10/day", Consistency.CountingMode.EXACT);
    RoutingStore node = cluster.node();
    RoutingStore other = cluster.node();
    Claim[] both = {claim(exact, 1), claim(local, 1)};
    for (int i = 0; i < 2; i++) {
      node.apply(both, StoreOperation.TAKE).join();
    }
    other.apply(new Claim[] {claim(exact, 9)}, StoreOperation.TAKE).join();
    cluster.advance(Duration.ofMillis(50));
    assertThat(node.apply(both, StoreOperation.TAKE).join()[0].admitted())
        .as("nothing is left")
        .isFalse();
  }
}
