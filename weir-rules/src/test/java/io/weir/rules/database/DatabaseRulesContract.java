package io.weir.rules.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.rule.Rule;
import io.weir.rules.RevisionConsistencyLoad;
import io.weir.rules.Rules;
import io.weir.testkit.Await;
import io.weir.testkit.CapturedLogs;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Rules in any database. */
@Timeout(60)
abstract class DatabaseRulesContract extends DatabaseTestBase {

  @Test
  void change_appliesHereAtOnceAndElsewhereSoon() {
    DatabaseRules here = openNode();
    DatabaseRules there = openNode();
    for (int permits = 1; permits <= 3; permits++) {
      Rule rule = rule("api", permits);
      long revision = here.put(rule, "ann", here.revision("api"));
      assertThat(here.current().rule("api")).isEqualTo(rule);
      assertThat(here.current().revision()).isEqualTo(revision).isEqualTo(permits);
      Duration took =
          Await.until(
              MAX_DELAY, "the change on the other node", () -> there.revision("api") == revision);
      System.out.println(url().substring(0, 10) + " change seen after " + took.toMillis() + " ms");
      assertThat(there.current().rule("api")).isEqualTo(rule);
    }
    here.delete("api", "ann", there.revision("api"));
    assertThat(here.current().rules()).isEmpty();
    Await.until(
        MAX_DELAY, "the deletion on the other node", () -> there.current().rules().isEmpty());
    assertThat(there.staleness()).isZero();
  }

  @Test
  void unchangedRules_stayTheSameObjectsInOrder() {
    DatabaseRules node = openNode();
    node.put(rule("b", 1), "ann", 0);
    node.put(rule("a", 1), "ann", 0);
    Rule unchanged = node.current().rule("b");
    node.put(rule("a", 2), "ann", node.revision("a"));
    assertThat(node.current().rule("b")).isSameAs(unchanged);
    assertThat(node.current().rules()).extracting(Rule::id).containsExactly("b", "a");
    long before = node.current().revision();
    assertThat(node.put(rule("a", 2), "ann", node.revision("a"))).isEqualTo(before);
    assertThat(node.history("a")).hasSize(2);
  }

  @Test
  void staleRevision_isRejectedWithCurrentRevision() {
    DatabaseRules node = openNode();
    long first = node.put(rule("api", 1), "ann", 0);
    long second = node.put(rule("api", 2), "bob", first);
    assertThatThrownBy(() -> node.put(rule("api", 3), "ann", first))
        .isInstanceOfSatisfying(
            StaleRevisionException.class, e -> assertThat(e.currentRevision()).isEqualTo(second))
        .hasMessage("rule 'api' is at revision 2, not 1; read it again and repeat the change");
    assertThatThrownBy(() -> node.put(rule("api", 3), "ann", 0))
        .isInstanceOf(StaleRevisionException.class);
    assertThatThrownBy(() -> node.delete("api", "ann", first))
        .isInstanceOf(StaleRevisionException.class);
    assertThatThrownBy(() -> node.delete("none", "ann", 0))
        .isInstanceOf(StaleRevisionException.class);
    assertThat(node.current().rule("api")).isEqualTo(rule("api", 2));
    assertThat(node.current().revision()).isEqualTo(second);
  }

  @Test
  void history_recordsChangesAndUndoRevertsOne() {
    DatabaseRules node = openNode();
    node.put(rule("first", 1), "ann", 0);
    node.put(rule("last", 1), "ann", 0);
    node.put(rule("first", 2), "bob", node.revision("first"));
    node.delete("first", "eve", node.revision("first"));
    node.undo("first", "ann");
    assertThat(node.current().rules()).containsExactly(rule("first", 2), rule("last", 1));
    List<RuleChange> history = node.history("first");
    assertThat(history).extracting(RuleChange::who).containsExactly("ann", "eve", "bob", "ann");
    Optional<String> one = Optional.of(Rules.toJson(rule("first", 1)));
    Optional<String> two = Optional.of(Rules.toJson(rule("first", 2)));
    assertThat(history)
        .extracting(RuleChange::before)
        .containsExactly(Optional.empty(), two, one, Optional.empty());
    assertThat(history)
        .extracting(RuleChange::after)
        .containsExactly(two, Optional.empty(), two, one);
    assertThat(history).extracting(RuleChange::when).isSortedAccordingTo((a, b) -> b.compareTo(a));
    node.undo("first", "ann");
    assertThat(node.current().rule("first")).isNull();
    assertThatThrownBy(() -> node.undo("never", "ann")).hasMessageContaining("nothing to undo");
    assertThatThrownBy(() -> node.put(rule("x", 1), " ", 0))
        .hasMessageContaining("the author of a change");
  }

  @Test
  void replace_changesAllRulesInOneRevision() {
    DatabaseRules here = openNode();
    DatabaseRules there = openNode();
    here.put(rule("a", 1), "ann", 0);
    here.put(rule("b", 1), "ann", 0);
    here.put(rule("c", 1), "ann", 0);
    Rule unchanged = here.current().rule("c");
    long before = here.current().revision();
    long after = here.replace(List.of(rule("c", 1), rule("d", 1), rule("a", 2)), "bob", before);
    assertThat(here.current().revision()).isEqualTo(after).isGreaterThan(before);
    assertThat(here.current().rules()).containsExactly(rule("c", 1), rule("d", 1), rule("a", 2));
    assertThat(here.current().rule("c")).isSameAs(unchanged);
    assertThat(here.history("b").get(0).after()).isEmpty();
    assertThat(here.history("c")).hasSize(1);
    assertThat(here.history("a")).extracting(RuleChange::who).containsExactly("bob", "ann");
    Await.until(
        MAX_DELAY, "all rules on the other node", () -> there.current().revision() == after);
    assertThat(there.current().rules()).isEqualTo(here.current().rules());
    assertThat(there.replace(here.current().rules(), "bob", after)).isEqualTo(after);
    long moved = there.replace(List.of(rule("a", 2), rule("c", 1), rule("d", 1)), "bob", after);
    assertThat(there.current().rules()).extracting(Rule::id).containsExactly("a", "c", "d");
    assertThat(there.history("a")).hasSize(2);
    assertThatThrownBy(() -> here.replace(List.of(), "ann", after))
        .isInstanceOfSatisfying(
            StaleRevisionException.class, e -> assertThat(e.currentRevision()).isEqualTo(moved));
    assertThat(here.current().revision()).as("revision after the rejected change").isEqualTo(moved);
    here.undo("b", "ann");
    assertThat(here.current().rules()).hasSize(4).contains(rule("b", 1));
    assertThat(here.replace(List.of(), "ann", here.current().revision())).isPositive();
    assertThat(here.current().rules()).isEmpty();
  }

  @Test
  void undoOfOlderChange_isRejected() {
    DatabaseRules node = openNode();
    long first = node.put(rule("api", 1), "ann", 0);
    long second = node.put(rule("api", 2), "bob", first);
    assertThatThrownBy(() -> node.undo("api", "ann", first))
        .isInstanceOfSatisfying(
            StaleRevisionException.class, e -> assertThat(e.currentRevision()).isEqualTo(second));
    assertThat(node.current().rule("api")).isEqualTo(rule("api", 2));
    node.undo("api", "ann", second);
    assertThat(node.current().rule("api")).isEqualTo(rule("api", 1));
  }

  @Test
  @DisplayName("two rules changed together: each decision on both nodes uses one revision")
  void rulesChangedTogether_eachDecisionSeesOneRevision() {
    DatabaseRules here = openNode();
    here.replace(rulesOfVersion(1), "ann", 0);
    DatabaseRules there = openFastPollingNode();
    long first = here.current().revision();
    try (CapturedLogs log = new CapturedLogs();
        RevisionConsistencyLoad decisions = new RevisionConsistencyLoad(here);
        RevisionConsistencyLoad others = new RevisionConsistencyLoad(there)) {
      RevisionConsistencyLoad.changeRepeatedly(
          n -> here.replace(rulesOfVersion(n), "ann", here.current().revision()));
      decisions.finishAndCheck(SqlDialect.of(url()).scriptFolder() + " on the changing node");
      others.finishAndCheck("on the other node");
      assertThat(here.current().revision() - first).as("reloads").isGreaterThanOrEqualTo(400);
      assertThat(log.lines()).noneMatch(line -> line.contains("rejected"));
    }
  }

  private static List<Rule> rulesOfVersion(int number) {
    return RevisionConsistencyLoad.rulesOfVersion(number).stream()
        .map(r -> Rules.readOne("test", r))
        .toList();
  }

  @RepeatedTest(10)
  void concurrentChanges_areEachAppliedOrRejected() throws Exception {
    DatabaseRules here = openNode();
    DatabaseRules there = openNode();
    here.put(rule("api", 1), "ann", 0);
    AtomicLong made = new AtomicLong();
    ExecutorService threads = Executors.newFixedThreadPool(8);
    List<Future<?>> all =
        IntStream.range(0, 8)
            .<Future<?>>mapToObj(
                i -> threads.submit(() -> changeRepeatedly(i % 2 == 0 ? here : there, i, made)))
            .toList();
    threads.shutdown();
    for (Future<?> one : all) {
      one.get(50, TimeUnit.SECONDS);
    }
    List<RuleChange> history = here.history("api");
    assertThat(history).hasSize((int) made.get() + 1);
    for (int i = 1; i < history.size(); i++) {
      assertThat(history.get(i).after()).isEqualTo(history.get(i - 1).before());
    }
    assertThat(made.get()).isGreaterThanOrEqualTo(8);
    for (DatabaseRules node : List.of(here, there)) {
      Rule last = latest(history);
      Await.until(MAX_DELAY, "the last change", () -> node.current().rules().contains(last));
      Await.until(MAX_DELAY, "all rules", () -> node.current().rules().size() == 9);
    }
  }

  private static Rule latest(List<RuleChange> history) {
    return Rules.readOne("history", history.get(0).after().orElseThrow());
  }

  private static void changeRepeatedly(DatabaseRules node, int thread, AtomicLong made) {
    node.put(rule("own-" + thread, 1), "ann", 0);
    for (int i = 0; i < 60; i++) {
      try {
        node.put(rule("api", 1000 * (thread + 1) + i), "ann", node.revision("api"));
        made.incrementAndGet();
      } catch (StaleRevisionException e) {
        assertThat(e.currentRevision()).isPositive();
      }
    }
  }
}
