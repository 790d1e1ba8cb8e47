package io.weir.rules.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Decision;
import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.redis.RedisStore;
import io.weir.rule.LimitOverride;
import io.weir.rule.Rule;
import io.weir.rule.Selector;
import io.weir.testkit.Soon;
import io.weir.testkit.redis.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** D4 and D5: what changes of rules in any database do to those who are counted, on two nodes. */
@Timeout(120)
@Tag("slow")
abstract class CountersContract extends DatabaseTest {
  private static final Request ACME = Request.of("user", "acme", "tier", "free");
  private static final Request BOB = Request.of("user", "bob", "tier", "pro");

  @SuppressWarnings("NullAway.Init")
  private static RedisProcess redis;

  private final List<RedisStore> stores = new ArrayList<>();

  @SuppressWarnings("NullAway.Init")
  private DatabaseRules here;

  @SuppressWarnings("NullAway.Init")
  private DatabaseRules there;

  /** Where nodes count: each in its memory, or all in one Redis. */
  enum Counters {
    MEMORY,
    REDIS
  }

  @BeforeAll
  static void startRedis() {
    redis = RedisProcess.start();
  }

  @AfterAll
  static void stopRedis() {
    redis.close();
  }

  @BeforeEach
  void openNodes() {
    redis.command("FLUSHALL");
    here = node();
    there = node();
  }

  @AfterEach
  void closeStores() {
    stores.forEach(RedisStore::close);
  }

  @ParameterizedTest(name = "D4 loosened while refused: helps on both nodes, counters in {0}")
  @EnumSource
  void loosenedWhileRefusedItHelpsOnBothNodes(Counters counters) {
    put(rule("api", 10));
    Limiter a = limiter(here, counters);
    Limiter b = limiter(there, counters);
    useUp(a, b, ACME, 10);
    here.put(rule("api", 1000), "ann", here.revision("api"));
    helps("10/hour made 1000/hour", counters, a, b, ACME);
    assertThat(a.decideNow(ACME).remaining()).as("what was used stays used").isLessThan(989);
  }

  @ParameterizedTest(
      name = "R4 an override for a caller or a tier acts on both nodes, counters in {0}")
  @EnumSource
  void anOverrideForASingleCallerOrATierActsOnBothNodes(Counters counters) {
    put(rule("api", 10));
    Limiter a = limiter(here, counters);
    Limiter b = limiter(there, counters);
    useUp(a, b, ACME, 10);
    useUp(a, b, BOB, 10);
    override(LimitOverride.of(Selector.of("user", "acme"), "1000/hour"));
    helps("an override for a single caller", counters, a, b, ACME);
    assertThat(a.decideNow(BOB).allowed()).isFalse();
    assertThat(b.decideNow(BOB).allowed()).isFalse();
    override(LimitOverride.of(Selector.of("tier", "pro"), "2000/hour"));
    helps("an override for a tier", counters, a, b, BOB);
    Soon.until(SOON, "the first is gone", () -> isRefused(a, ACME) && isRefused(b, ACME));
  }

  @ParameterizedTest(name = "D5 unrelated edits and another order reset no counter in {0}")
  @EnumSource
  void unrelatedEditsAndAnotherOrderResetNoCounter(Counters counters) {
    put(rule("api", 100));
    put(rule("other", 1_000_000));
    Limiter a = limiter(here, counters);
    Limiter b = limiter(there, counters);
    List<Runnable> edits =
        List.of(
            () -> here.put(rule("other", 2_000_000), "ann", here.revision("other")),
            () -> here.put(rule("new", 1_000_000), "ann", 0),
            () -> byHand("UPDATE weir_rule SET position = 100 - position"),
            () -> here.delete("other", "ann", here.revision("other")),
            () -> there.undo("other", "ann"),
            () -> byHand("UPDATE weir_rule SET body = '' WHERE id = 'new'"));
    int used = 0;
    for (Runnable edit : edits) {
      used++;
      boolean shared = counters == Counters.REDIS;
      assertThat(left(a, ACME)).isEqualTo(100 - (shared ? 2 * used - 1 : used));
      assertThat(left(b, ACME)).isEqualTo(100 - (shared ? 2 * used : used));
      long before = here.current().revision();
      edit.run();
      Soon.until(SOON, "both have the edit", () -> inStep(before));
    }
  }

  private boolean inStep(long before) {
    long now = here.current().revision();
    return now > before && there.current().revision() == now;
  }

  private void put(Rule rule) {
    long revision = here.put(rule, "ann", 0);
    Soon.until(SOON, "the rule is there", () -> there.revision(rule.id()) == revision);
  }

  private void override(LimitOverride override) {
    here.put(rule("api", 10).edit().overrides(override).build(), "ann", here.revision("api"));
  }

  private Limiter limiter(DatabaseRules rules, Counters counters) {
    if (counters == Counters.MEMORY) {
      return Weir.inMemory(rules);
    }
    RedisStore store = RedisStore.at(redis.uri()).deadline(Duration.ofSeconds(10)).open();
    stores.add(store);
    return Weir.limiter(rules).store(store).build();
  }

  /** Has the caller refused by both, who from then on know it by themselves. */
  private static void useUp(Limiter a, Limiter b, Request caller, int permits) {
    assertThat(a.decideNow(caller.cost(permits)).allowed()).isTrue();
    var unused = b.decideNow(caller.cost(permits));
    for (int i = 0; i < 3; i++) {
      assertThat(isRefused(a, caller) && isRefused(b, caller)).isTrue();
    }
  }

  private static boolean isRefused(Limiter limiter, Request caller) {
    Decision decision = limiter.decideNow(caller);
    assertThat(decision.degraded()).isFalse();
    return !decision.allowed();
  }

  private static long left(Limiter limiter, Request caller) {
    return limiter.decideNow(caller).rules().stream()
        .filter(rule -> rule.rule().equals("api"))
        .findFirst()
        .orElseThrow()
        .remaining();
  }

  private void helps(String what, Counters counters, Limiter a, Limiter b, Request caller) {
    Duration took = Soon.until(SOON, what, () -> !isRefused(a, caller) && !isRefused(b, caller));
    System.out.printf(
        "%s, counters in %s: %s helps on both nodes after %d ms%n",
        Dialect.of(url()).folder(), counters, what, took.toMillis());
  }
}
