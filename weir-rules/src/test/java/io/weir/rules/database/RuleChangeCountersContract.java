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
import io.weir.testkit.Await;
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

/** Any database: the effect of rule changes on counters, on two nodes. */
@Timeout(120)
@Tag("slow")
abstract class RuleChangeCountersContract extends DatabaseTestBase {
  private static final Request ACME = Request.of("user", "acme", "tier", "free");
  private static final Request BOB = Request.of("user", "bob", "tier", "pro");

  @SuppressWarnings("NullAway.Init")
  private static RedisProcess redis;

  private final List<RedisStore> stores = new ArrayList<>();

  @SuppressWarnings("NullAway.Init")
  private DatabaseRules here;

  @SuppressWarnings("NullAway.Init")
  private DatabaseRules there;

  /** The location of counters: in the memory of each node, or in a shared Redis. */
  enum CounterLocation {
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
    here = openNode();
    there = openNode();
  }

  @AfterEach
  void closeStores() {
    stores.forEach(RedisStore::close);
  }

  @ParameterizedTest(name = "a limit raised while refused admits on both nodes, counters in {0}")
  @EnumSource
  void limitRaisedWhileRefused_admitsOnBothNodes(CounterLocation counters) {
    putRule(rule("api", 10));
    Limiter a = limiter(here, counters);
    Limiter b = limiter(there, counters);
    useUpLimit(a, b, ACME, 10);
    here.put(rule("api", 1000), "ann", here.revision("api"));
    assertAdmitsOnBothNodes("10/hour made 1000/hour", counters, a, b, ACME);
    assertThat(a.decideNow(ACME).remaining()).as("used permits stay used").isLessThan(989);
  }

  @ParameterizedTest(
      name = "an override for a caller or a tier applies on both nodes, counters in {0}")
  @EnumSource
  void overrideForCallerOrTier_appliesOnBothNodes(CounterLocation counters) {
    putRule(rule("api", 10));
    Limiter a = limiter(here, counters);
    Limiter b = limiter(there, counters);
    useUpLimit(a, b, ACME, 10);
    useUpLimit(a, b, BOB, 10);
    putOverride(LimitOverride.of(Selector.of("user", "acme"), "1000/hour"));
    assertAdmitsOnBothNodes("an override for a single caller", counters, a, b, ACME);
    assertThat(a.decideNow(BOB).allowed()).isFalse();
    assertThat(b.decideNow(BOB).allowed()).isFalse();
    putOverride(LimitOverride.of(Selector.of("tier", "pro"), "2000/hour"));
    assertAdmitsOnBothNodes("an override for a tier", counters, a, b, BOB);
    Await.until(
        MAX_DELAY, "the first override to be gone", () -> isRefused(a, ACME) && isRefused(b, ACME));
  }

  @ParameterizedTest(name = "unrelated edits and another order reset no counter in {0}")
  @EnumSource
  void unrelatedEditsAndReordering_keepCounters(CounterLocation counters) {
    putRule(rule("api", 100));
    putRule(rule("other", 1_000_000));
    Limiter a = limiter(here, counters);
    Limiter b = limiter(there, counters);
    List<Runnable> edits =
        List.of(
            () -> here.put(rule("other", 2_000_000), "ann", here.revision("other")),
            () -> here.put(rule("new", 1_000_000), "ann", 0),
            () -> executeSql("UPDATE weir_rule SET position = 100 - position"),
            () -> here.delete("other", "ann", here.revision("other")),
            () -> there.undo("other", "ann"),
            () -> executeSql("UPDATE weir_rule SET body = '' WHERE id = 'new'"));
    int used = 0;
    for (Runnable edit : edits) {
      used++;
      boolean shared = counters == CounterLocation.REDIS;
      assertThat(remaining(a, ACME)).isEqualTo(100 - (shared ? 2 * used - 1 : used));
      assertThat(remaining(b, ACME)).isEqualTo(100 - (shared ? 2 * used : used));
      long before = here.current().revision();
      edit.run();
      Await.until(MAX_DELAY, "both nodes to apply the edit", () -> bothHaveChanged(before));
    }
  }

  private boolean bothHaveChanged(long before) {
    long now = here.current().revision();
    return now > before && there.current().revision() == now;
  }

  private void putRule(Rule rule) {
    long revision = here.put(rule, "ann", 0);
    Await.until(
        MAX_DELAY, "the rule on the other node", () -> there.revision(rule.id()) == revision);
  }

  private void putOverride(LimitOverride override) {
    here.put(rule("api", 10).edit().overrides(override).build(), "ann", here.revision("api"));
  }

  private Limiter limiter(DatabaseRules rules, CounterLocation counters) {
    if (counters == CounterLocation.MEMORY) {
      return Weir.inMemory(rules);
    }
    RedisStore store = RedisStore.at(redis.uri()).deadline(Duration.ofSeconds(10)).open();
    stores.add(store);
    return Weir.limiter(rules).store(store).build();
  }

  /** Uses up the limit of a caller, so that both nodes refuse it, also from their local state. */
  private static void useUpLimit(Limiter a, Limiter b, Request caller, int permits) {
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

  private static long remaining(Limiter limiter, Request caller) {
    return limiter.decideNow(caller).rules().stream()
        .filter(rule -> rule.rule().equals("api"))
        .findFirst()
        .orElseThrow()
        .remaining();
  }

  private void assertAdmitsOnBothNodes(
      String what, CounterLocation counters, Limiter a, Limiter b, Request caller) {
    Duration took =
        Await.until(MAX_DELAY, what, () -> !isRefused(a, caller) && !isRefused(b, caller));
    System.out.printf(
        "%s, counters in %s: %s applies on both nodes after %d ms%n",
        SqlDialect.of(url()).scriptFolder(), counters, what, took.toMillis());
  }
}
