package io.weir.store.nodes;

import static io.weir.store.nodes.World.claim;
import static io.weir.store.nodes.World.take;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.algorithm.Algorithms;
import io.weir.rule.Claim;
import io.weir.rule.Consistency;
import io.weir.rule.Rule;
import io.weir.rule.RuleBuilder;
import io.weir.store.Mode;
import io.weir.store.Outcome;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RoutedStoreTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Consistency SYNCED = Consistency.synced(Duration.ofMillis(100));

  private final World world = new World();

  private static RuleBuilder rule(String id, String limit, Consistency how) {
    return Rule.named(id).limit(limit).consistency(how);
  }

  @Test
  void aBusyLeasedCounterHardlyAsksTheStore() {
    Rule rule = rule("a", "100000/second", Consistency.LEASED).build();
    RoutedStore node = world.node();
    assertThat(world.pace(node, rule, 10_000, SECOND)).isEqualTo(10_000);
    assertThat(world.calls).isLessThan(500);
  }

  @Test
  void leasesAdmitNoMoreThanExactWould() {
    Rule rule = rule("a", "1000/second", Consistency.LEASED).burst(500).build();
    List<RoutedStore> nodes = List.of(world.node(), world.node(), world.node());
    long began = world.micros();
    long admitted = 0;
    for (int i = 0; i < 30_000; i++) {
      admitted += take(nodes.get(i % 3), rule).fits() ? 1 : 0;
      world.pass(Duration.ofNanos(166_000));
      long exact = 500 + (world.micros() - began) / 1000;
      assertThat(admitted).as("after %d", i).isLessThanOrEqualTo(exact);
    }
    assertThat(admitted).as("in five seconds").isGreaterThan(5440);
  }

  @Test
  void whatWasNotSpentGoesBack() {
    Rule rule = rule("a", "1000/day", Consistency.LEASED).build();
    RoutedStore node = world.node();
    int admitted = world.pace(node, rule, 400, Duration.ofMillis(400));
    assertThat(admitted).isEqualTo(400);
    assertThat(node.leased()).isPositive();
    world.pass(Duration.ofMillis(200));
    assertThat(node.leased()).isZero();
    assertThat(world.left(rule)).isEqualTo(600);
  }

  @Test
  void closingGivesLeasesBackAndTellsWhatIsUntold() {
    Rule leased = rule("leased", "1000/day", Consistency.LEASED).build();
    Rule synced = rule("synced", "1000/day", SYNCED).build();
    RoutedStore node = world.node();
    world.pace(node, leased, 400, Duration.ofMillis(400));
    take(node, synced);
    take(node, synced);
    assertThat(node.untold()).as("the first was decided by the store").isEqualTo(1);
    node.close();
    assertThat(world.left(leased)).isEqualTo(600);
    assertThat(world.left(synced)).isEqualTo(998);
  }

  @Test
  void noLeaseOutlivesItsWindow() {
    Rule rule =
        rule("a", "1000/second", Consistency.LEASED).algorithm(Algorithms.FIXED_WINDOW).build();
    RoutedStore one = world.node();
    RoutedStore two = world.node();
    world.pass(Duration.ofNanos(1000 * (1_000_000 - world.micros() % 1_000_000)));
    for (int window = 0; window < 5; window++) {
      int admitted = 0;
      for (int i = 0; i < 2000; i++) {
        admitted += take(i % 2 == 0 ? one : two, rule).fits() ? 1 : 0;
        world.pass(Duration.ofNanos(500_000));
      }
      assertThat(admitted).as("window %d", window).isBetween(950, 1000);
    }
  }

  @Test
  void aLeasedQueueLetsRequestsOutOneByOne() {
    Rule rule =
        rule("a", "1000/second", Consistency.LEASED)
            .algorithm(Algorithms.LEAKY_BUCKET)
            .burst(1000)
            .build();
    RoutedStore node = world.node();
    long last = 0;
    for (int i = 0; i < 1500; i++) {
      Outcome o = take(node, rule);
      if (o.fits()) {
        long out = world.micros() + o.delay();
        assertThat(out - last).as("request %d", i).isGreaterThanOrEqualTo(999);
        last = out;
      }
      world.pass(Duration.ofNanos(300_000));
    }
  }

  @Test
  void aResetIsFeltAtOnceWhereItIsDone() {
    Rule rule = rule("a", "200/day", Consistency.LEASED).build();
    RoutedStore node = world.node();
    RoutedStore other = world.node();
    world.pace(node, rule, 400, Duration.ofMillis(400));
    world.pace(other, rule, 50, Duration.ofMillis(50));
    assertThat(take(node, rule).fits()).isFalse();
    var unused = node.take(new Claim[] {claim(rule, Claim.MAX_COST)}, Mode.REFUND).join();
    assertThat(take(node, rule).fits()).isTrue();
    world.pass(SECOND);
    assertThat(take(other, rule).fits()).as("elsewhere within a second").isTrue();
  }

  @Test
  void whileTheStoreIsAwayLeasedRulesAnswerByPosture() {
    Rule rule = rule("a", "1000/second", Consistency.LEASED).build();
    RoutedStore node = world.node();
    world.pace(node, rule, 100, Duration.ofMillis(100));
    world.away = true;
    world.pass(SECOND);
    assertThat(take(node, rule).degraded()).isTrue();
    world.away = false;
    world.pass(SECOND);
    assertThat(take(node, rule).degraded()).isFalse();
  }

  @Test
  void syncedNodesHearOfEachOther() {
    Rule rule = rule("a", "100/day", SYNCED).build();
    RoutedStore one = world.node();
    RoutedStore two = world.node();
    take(one, rule);
    take(two, rule);
    assertThat(world.pace(one, rule, 59, Duration.ofMillis(59))).isEqualTo(59);
    assertThat(take(two, rule).remaining()).as("not heard of yet").isEqualTo(97);
    world.pass(Duration.ofMillis(250));
    assertThat(take(two, rule).remaining()).isEqualTo(37);
    world.pass(Duration.ofMillis(250));
    assertThat(world.left(rule)).isEqualTo(37);
    assertThat(world.calls).isLessThan(10);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"token-bucket", "leaky-bucket", "fixed-window", "sliding-log", "sliding-counter"})
  void syncedNodesStayWithinTheBound(String algorithm) {
    Rule rule = rule("a", "300/second", SYNCED).algorithm(algorithm).build();
    List<RoutedStore> nodes = List.of(world.node(), world.node(), world.node());
    long bound = Overshoot.of(rule.limits().get(0), 3);
    world.pass(Duration.ofNanos(1000 * (1_000_000 - world.micros() % 1_000_000)));
    int admitted = 0;
    for (int i = 0; i < 6000; i++) {
      admitted += take(nodes.get(i % 3), rule).fits() ? 1 : 0;
      world.pass(Duration.ofNanos(500_000));
    }
    assertThat((long) admitted).isLessThanOrEqualTo(300 + 3 * (300 + bound));
    assertThat(admitted).as("not much less than the limit").isGreaterThan(3 * 250);
  }

  @Test
  void whatWasAdmittedDuringAnOutageIsToldAfterIt() {
    Rule rule = rule("a", "1000/day", SYNCED).build();
    RoutedStore node = world.node();
    world.away = true;
    assertThat(world.pace(node, rule, 50, SECOND)).isEqualTo(50);
    assertThat(world.left(rule)).isEqualTo(1000);
    assertThat(node.untold()).isEqualTo(50);
    world.away = false;
    world.pass(SECOND);
    assertThat(world.left(rule)).isEqualTo(950);
    assertThat(node.untold()).isZero();
  }

  @Test
  void whatWasAdmittedInAWindowThatIsOverIsNotChargedToTheNext() {
    Rule rule = rule("a", "100/second", SYNCED).algorithm(Algorithms.FIXED_WINDOW).build();
    RoutedStore node = world.node();
    take(node, rule);
    world.pass(Duration.ofNanos(1000 * (1_000_000 - world.micros() % 1_000_000)));
    world.away = true;
    assertThat(world.pace(node, rule, 50, Duration.ofMillis(500))).isEqualTo(50);
    world.pass(Duration.ofMillis(700));
    world.away = false;
    world.pass(Duration.ofMillis(300));
    assertThat(world.left(rule)).isEqualTo(100);
  }

  @Test
  void aRequestOfSeveralKindsIsChargedAllOrNone() {
    Rule local = rule("local", "100/day", Consistency.LOCAL).build();
    Rule synced = rule("synced", "100/day", SYNCED).build();
    Rule exact = rule("exact", "2/day", Consistency.EXACT).build();
    RoutedStore node = world.node();
    Claim[] all = {claim(exact, 1), claim(local, 1), claim(synced, 1)};
    for (int i = 0; i < 10; i++) {
      Outcome[] said = node.take(all, Mode.TAKE).join();
      assertThat(said[0].fits()).isEqualTo(i < 2);
      assertThat(said[1].remaining()).isEqualTo(i < 2 ? 99 - i : 98);
      assertThat(said[2].remaining()).isEqualTo(i < 2 ? 99 - i : 98);
    }
    Outcome[] left = node.take(all, Mode.PEEK).join();
    assertThat(left[1].remaining()).isEqualTo(98);
    assertThat(left[2].remaining()).isEqualTo(98);
    assertThat(world.left(exact)).isZero();
  }

  @Test
  void whenACheapPartRefusesTheStoreIsNotChargedAndSoonNotAsked() {
    Rule local = rule("local", "1/day", Consistency.LOCAL).build();
    Rule exact = rule("exact", "100/day", Consistency.EXACT).build();
    RoutedStore node = world.node();
    Claim[] both = {claim(exact, 1), claim(local, 1)};
    assertThat(node.take(both, Mode.TAKE).join()[1].fits()).isTrue();
    int before = world.calls;
    for (int i = 0; i < 100; i++) {
      Outcome[] said = node.take(both, Mode.TAKE).join();
      assertThat(said[1].fits()).isFalse();
      assertThat(said[0].remaining()).isEqualTo(99);
    }
    assertThat(world.calls - before).isEqualTo(1);
  }

  @Test
  void duringASpikeExactRulesAreAnsweredFromWhatTheNodeKnows() {
    Rule rule = rule("a", "100/day", Consistency.EXACT).build();
    RoutedStore node = world.node(Duration.ofMillis(2));
    RoutedStore other = world.node();
    world.pace(other, rule, 40, Duration.ofMillis(40));
    assertThat(take(node, rule).remaining()).isEqualTo(59);
    world.slowBy = 3_000;
    for (int i = 0; i < 3; i++) {
      take(node, rule);
    }
    Outcome spiking = take(node, rule);
    assertThat(spiking.degraded()).isTrue();
    assertThat(spiking.remaining()).as("known from before").isEqualTo(55);
    int before = world.calls;
    for (int i = 0; i < 20; i++) {
      take(node, rule);
    }
    assertThat(world.calls - before).as("probes only").isLessThan(10);
    world.slowBy = 0;
    for (int i = 0; i < 20; i++) {
      take(node, rule);
      world.pass(Duration.ofMillis(25));
    }
    world.pass(SECOND);
    assertThat(take(node, rule).degraded()).isFalse();
    assertThat(world.left(rule)).as("all of it told").isEqualTo(100 - 40 - 4 - 1 - 20 - 20 - 1);
  }
}
