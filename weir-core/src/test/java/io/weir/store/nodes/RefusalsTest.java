package io.weir.store.nodes;

import static io.weir.store.nodes.World.claim;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rule.Claim;
import io.weir.rule.Consistency;
import io.weir.rule.Rule;
import io.weir.store.Mode;
import io.weir.store.Outcome;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RefusalsTest {
  private final World world = new World();

  private static Rule rule(String id, String limit, Consistency.Kind kind) {
    return Rule.named(id).limit(limit).consistency(new Consistency(kind, Duration.ZERO)).build();
  }

  @ParameterizedTest
  @EnumSource(
      value = Consistency.Kind.class,
      names = {"EXACT", "LEASED"})
  void resetOfOneRule_isFeltAtOnceByRequestsThatMatchTwo(Consistency.Kind kind) {
    Rule tight = rule("tight", "20/day", kind);
    Rule wide = rule("wide", "1000/day", Consistency.Kind.LEASED);
    RoutedStore node = world.node();
    Claim[] both = {claim(tight, 1), claim(wide, 1)};
    for (int i = 0; i < 60; i++) {
      node.take(both, Mode.TAKE).join();
      world.pass(Duration.ofMillis(1));
    }
    assertThat(node.take(both, Mode.TAKE).join()[0].fits()).isFalse();
    node.take(new Claim[] {claim(tight, Claim.MAX_COST)}, Mode.REFUND).join();
    assertThat(node.take(both, Mode.TAKE).join()[0].fits()).isTrue();
  }

  @Test
  void answerToAnEarlierRequest_isNotRememberedPastAReset() {
    Rule rule = rule("a", "1/day", Consistency.Kind.EXACT);
    Refusals refusals = new Refusals(world);
    Claim[] claims = {claim(rule, 1)};
    long sent = world.micros();
    world.pass(Duration.ofMillis(1));
    refusals.forget(claims);
    Outcome refused = new Outcome(false, false, 0, 1_000_000, 1_000_000, sent);
    refusals.remember(claims, new Outcome[] {refused}, sent);
    assertThat(refusals.recall(claims)).isNull();
    world.pass(Duration.ofMillis(1));
    refusals.remember(claims, new Outcome[] {refused}, world.micros());
    assertThat(refusals.recall(claims)).isNotNull();
  }

  @Test
  void refusalOfSeveralCounters_isVoidOnceOneIsGivenBack() {
    Rule one = rule("one", "1/day", Consistency.Kind.EXACT);
    Rule other = rule("other", "1/day", Consistency.Kind.EXACT);
    Refusals refusals = new Refusals(world);
    Claim[] both = {claim(one, 1), claim(other, 1)};
    Outcome refused = new Outcome(false, false, 0, 1_000_000, 1_000_000, world.micros());
    refusals.remember(both, new Outcome[] {refused, refused}, world.micros());
    assertThat(refusals.recall(both)).isNotNull();
    world.pass(Duration.ofMillis(1));
    refusals.forget(new Claim[] {claim(other, 1)});
    assertThat(refusals.recall(both)).isNull();
  }

  @Test
  void limitThatDidNotRefuse_isLookedAtAgainSoon() {
    Rule local = rule("local", "1/day", Consistency.Kind.LOCAL);
    Rule exact = rule("exact", "10/day", Consistency.Kind.EXACT);
    RoutedStore node = world.node();
    RoutedStore other = world.node();
    Claim[] both = {claim(exact, 1), claim(local, 1)};
    for (int i = 0; i < 2; i++) {
      node.take(both, Mode.TAKE).join();
    }
    other.take(new Claim[] {claim(exact, 9)}, Mode.TAKE).join();
    world.pass(Duration.ofMillis(50));
    assertThat(node.take(both, Mode.TAKE).join()[0].fits()).as("nothing is left").isFalse();
  }
}
