package io.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.internal.store.ClaimStore;
import io.weir.internal.store.MemoryStore;
import io.weir.rule.LimitOverride;
import io.weir.rule.LiveRules;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rule.Selector;
import io.weir.store.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Tests of {@link Limiter} over the memory store. */
class LimiterTest {
  private final AtomicLong now = new AtomicLong(1_767_225_600_000_000L);

  @Test
  void inMemoryLimiter_worksInTwoLines() {
    Limiter limiter = Weir.inMemory(Rule.named("api").per("user").limit("100/minute").build());
    Decision d = limiter.decideNow(Request.of("user", "42"));

    assertThat(d.allowed()).isTrue();
    assertThat(d.remaining()).isEqualTo(99);
    assertThat(d.limit()).isEqualTo(100);
    assertThat(d.rule()).contains("api");
    assertThat(d.degraded()).isFalse();
  }

  @Test
  void requestWithoutMatchingRule_isAllowed() {
    Decision d = limiter(rule("api", "1/minute")).decideNow(Request.of("device", "7"));
    assertThat(d.allowed()).isTrue();
    assertThat(d.rule()).isEmpty();
    assertThat(d.rules()).isEmpty();
    assertThat(d.toString()).startsWith("allowed");
  }

  @Test
  void severalRules_tightestRuleBinds() {
    Limiter limiter = limiter(rule("wide", "10/minute"), rule("narrow", "5/minute"));
    Decision d = limiter.decideNow(user("x"));
    assertThat(d.rule()).contains("narrow");
    assertThat(d.remaining()).isEqualTo(4);
    limiter.decideNow(user("x").cost(4));
    Decision refused = limiter.decideNow(user("x"));
    assertThat(refused.allowed()).isFalse();
    assertThat(refused.rule()).contains("narrow");
    assertThat(refused.retryAfter()).isEqualTo(Duration.ofSeconds(12));
    assertThat(refused.rules()).extracting("rule").containsExactly("wide", "narrow");
    assertThat(refused.rules()).extracting("remaining").containsExactly(5L, 0L);
  }

  @Test
  void severalRefusals_longestWaitBinds() {
    Limiter limiter = limiter(rule("hour", "2/hour"), rule("second", "2/second"));
    limiter.decideNow(user("x").cost(2));
    Decision d = limiter.decideNow(user("x"));
    assertThat(d.rule()).contains("hour");
    assertThat(d.retryAfter()).isEqualTo(Duration.ofMinutes(30));
  }

  @Test
  void severalLimitsOfOneRule_areDecidedTogether() {
    Rule rule = Rule.named("api").per("user").limit("2/second", "3/hour").build();
    Limiter limiter = limiter(rule);
    assertThat(limiter.decideNow(user("x").cost(2)).allowed()).isTrue();
    advanceClock(Duration.ofSeconds(1));
    assertThat(limiter.decideNow(user("x").cost(2)).allowed()).isFalse();
    assertThat(limiter.decideNow(user("x")).allowed()).isTrue();
    Decision d = limiter.decideNow(user("x"));
    assertThat(d.allowed()).isFalse();
    assertThat(d.rules()).as("one row per rule").hasSize(1);
    assertThat(d.rules().get(0).limit()).isEqualTo(3);
  }

  @Test
  void costAboveLimit_isReportedSeparately() {
    Decision d = limiter(rule("api", "5/minute")).decideNow(user("x").cost(6));
    assertThat(d.allowed()).isFalse();
    assertThat(d.costExceedsLimit()).isTrue();
    assertThat(d.retryAfter()).isZero();
    assertThat(d.toString()).contains("cost exceeds limit");
  }

  @Test
  void invalidCost_isRejected() {
    for (long cost : new long[] {0, -1, Long.MIN_VALUE, (1L << 53) + 1, Long.MAX_VALUE}) {
      assertThatThrownBy(() -> user("x").cost(cost))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("from 1 to 2^53");
    }
  }

  @Test
  void invalidRequest_isRejectedWithAReason() {
    assertThatThrownBy(() -> Request.of("user"))
        .hasMessageContaining("'user' must be followed by a value");
    assertThatThrownBy(() -> Request.of("a", "1", "a", "2")).hasMessageContaining("given twice");
    assertThatThrownBy(() -> Request.of(new String[2])).hasMessageContaining("null");
    assertThatThrownBy(() -> Request.of("a", "x".repeat(65_537))).hasMessageContaining("65536");
    assertThatThrownBy(() -> Request.of(new String[130])).hasMessageContaining("at most 64");
    assertThat(Request.of(Map.of("a", "1"))).isEqualTo(Request.of("a", "1"));
  }

  @Test
  void shadowRule_isEvaluatedButNotEnforced() {
    Rule shadow = rule("shadow", "1/minute").edit().shadow(true).build();
    Limiter limiter = limiter(shadow, rule("real", "3/minute"));
    limiter.decideNow(user("x"));
    Decision d = limiter.decideNow(user("x"));
    assertThat(d.allowed()).isTrue();
    assertThat(d.shadowRefused()).isTrue();
    assertThat(d.rule()).contains("real");
    assertThat(d.rules()).extracting("allowed").containsExactly(false, true);
  }

  @Test
  void overrides_replaceTheLimitForMatchingCallers() {
    Rule rule =
        rule("api", "1/minute")
            .edit()
            .overrides(
                LimitOverride.of(Selector.of("user", "acme"), "3/minute"),
                LimitOverride.of(Selector.of("tier", "pro"), "2/minute"))
            .build();
    Limiter limiter = limiter(rule);
    assertThat(limiter.decideNow(user("x")).limit()).isEqualTo(1);
    assertThat(limiter.decideNow(Request.of("user", "y", "tier", "pro")).limit()).isEqualTo(2);
    assertThat(limiter.decideNow(user("acme")).limit()).isEqualTo(3);
  }

  @Test
  void ruleEdit_keepsCountersAndAppliesAtOnce() {
    LiveRules rules = new LiveRules(List.of(rule("api", "10/hour"), rule("other", "5/hour")));
    Limiter limiter = Weir.limiter(rules).clock(now::get).build();
    limiter.decideNow(user("x").cost(5));
    assertThat(limiter.decideNow(user("x")).allowed()).isFalse();
    rules.replace(List.of(rule("other", "1000/hour"), rule("api", "10/hour")));
    Decision d = limiter.decideNow(user("x"));
    assertThat(d.allowed()).isTrue();
    assertThat(d.revision()).isEqualTo(2);
    assertThat(d.rules()).extracting("remaining").containsExactly(994L, 4L);
  }

  @Test
  void concurrentRuleReplacement_everyDecisionUsesOneRevision() throws Exception {
    LiveRules rules = new LiveRules(pair(1));
    Limiter limiter = Weir.limiter(rules).clock(now::get).build();
    AtomicBoolean done = new AtomicBoolean();
    ExecutorService pool = Executors.newFixedThreadPool(3);
    try {
      List<Future<Long>> checks = new ArrayList<>();
      for (int t = 0; t < 3; t++) {
        checks.add(
            pool.submit(
                () -> {
                  long mixed = 0;
                  while (!done.get()) {
                    Decision d = limiter.peek(user("x")).join();
                    long each = 1000 + d.revision();
                    mixed += d.rules().stream().filter(r -> r.limit() != each).count();
                  }
                  return mixed;
                }));
      }
      for (int revision = 2; revision <= 2000; revision++) {
        rules.replace(pair(revision));
      }
      done.set(true);
      for (Future<Long> check : checks) {
        assertThat(check.get()).isZero();
      }
    } finally {
      pool.shutdownNow();
    }
  }

  private static List<Rule> pair(int revision) {
    String limit = (1000 + revision) + "/minute";
    return List.of(rule("a", limit), rule("b", limit));
  }

  @Test
  void failingListener_doesNotAffectDecisionsOrOtherListeners() {
    List<String> notified = new ArrayList<>();
    Limiter limiter =
        Weir.limiter(RuleSet.of(rule("api", "1/minute")))
            .clock(now::get)
            .listener(
                (request, decision) -> {
                  throw new IllegalStateException("planned failure");
                })
            .listener((request, decision) -> notified.add(request.get("user") + decision.allowed()))
            .build();
    limiter.decideNow(user("x"));
    limiter.decideNow(user("x"));
    limiter.peek(user("x")).join();
    limiter.refund(user("x")).join();
    assertThat(notified).containsExactly("xtrue", "xfalse");
  }

  @Test
  void peekRefundAndCharge_applyTheirOperation() {
    Limiter limiter = limiter(rule("api", "3/minute"));
    limiter.decideNow(user("x").cost(3));
    assertThat(limiter.peek(user("x")).join().allowed()).isFalse();
    assertThat(limiter.refund(user("x").cost(2)).join().remaining()).isEqualTo(2);
    assertThat(limiter.charge(user("x").cost(5)).join().remaining()).isZero();
    assertThat(limiter.peek(user("x")).join().retryAfter()).isEqualTo(Duration.ofSeconds(80));
  }

  @Test
  void commit_settlesAtTheActualCost() {
    Limiter limiter = limiter(rule("tokens", "100/hour"));
    Reservation low = reserve(limiter, 50);
    assertThat(low.commit(20).join()).isTrue();
    assertThat(remaining(limiter)).isEqualTo(80);
    assertThat(low.commit(1).join()).as("settled once").isFalse();
    Reservation high = reserve(limiter, 10);
    assertThat(high.commit(30).join()).isTrue();
    assertThat(remaining(limiter)).isEqualTo(50);
    assertThat(reserve(limiter, 40).cancel().join()).isTrue();
    assertThat(remaining(limiter)).isEqualTo(50);
    assertThat(reserve(limiter, 5).commit(5).join()).isTrue();
    assertThat(remaining(limiter)).isEqualTo(45);
    assertThatThrownBy(() -> low.commit(-1)).hasMessageContaining("from 0 to 2^53");
  }

  @Test
  void uncommittedReservation_expires() {
    Limiter limiter =
        limiter(
            Rule.named("tokens").per("user").algorithm("fixed-window").limit("100/hour").build());
    Reservation kept = reserve(limiter, 30);
    Reservation forgotten = reserve(limiter, 50);
    assertThat(kept.commit(30).join()).isTrue();
    advanceClock(Duration.ofSeconds(59));
    assertThat(remaining(limiter)).isEqualTo(20);
    advanceClock(Duration.ofSeconds(1));
    assertThat(remaining(limiter)).isEqualTo(70);
    assertThat(forgotten.commit(50).join()).isFalse();
    assertThat(remaining(limiter)).isEqualTo(70);
  }

  @Test
  void uncommittedReservation_expiresWithoutOtherTraffic() {
    RuleSet rules = RuleSet.of(rule("tokens", "100/day"));
    Clock clock = Clock.system();
    ClaimStore store = new MemoryStore(clock);
    Limiter holder = Weir.limiter(rules).store(store).build();
    Limiter observer = Weir.limiter(rules).store(store).build();
    Reservation held = holder.reserve(user("x").cost(50), Duration.ofMillis(20)).join();
    assertThat(held.decision().remaining()).isEqualTo(50);
    long deadline = clock.micros() + 30_000_000;
    while (remaining(observer) < 100 && clock.micros() < deadline) {
      LockSupport.parkNanos(1_000_000);
    }
    assertThat(remaining(observer)).isEqualTo(100);
  }

  @Test
  void refusedReservation_holdsNothing() {
    Limiter limiter = limiter(rule("tokens", "10/hour"));
    limiter.decideNow(user("x").cost(8));
    Reservation refused = reserve(limiter, 5);
    assertThat(refused.decision().allowed()).isFalse();
    assertThat(refused.cancel().join()).isFalse();
    assertThat(remaining(limiter)).isEqualTo(2);
    assertThatThrownBy(() -> limiter.reserve(user("x"), Duration.ZERO))
        .hasMessageContaining("at most 1d");
  }

  @Test
  void lateSettlement_doesNotAffectALaterWindow() {
    Limiter limiter =
        limiter(
            Rule.named("tokens").per("user").algorithm("fixed-window").limit("10/minute").build());
    Reservation reservation = limiter.reserve(user("x").cost(10), Duration.ofHours(1)).join();
    advanceClock(Duration.ofMinutes(1));
    limiter.decideNow(user("x").cost(10));
    assertThat(reservation.cancel().join()).isTrue();
    assertThat(limiter.decideNow(user("x")).allowed()).isFalse();
  }

  private Reservation reserve(Limiter limiter, long cost) {
    return limiter.reserve(user("x").cost(cost), Duration.ofMinutes(1)).join();
  }

  private static long remaining(Limiter limiter) {
    return limiter.peek(user("x")).join().remaining();
  }

  private Limiter limiter(Rule... rules) {
    return Weir.limiter(RuleSet.of(rules)).clock(now::get).build();
  }

  private void advanceClock(Duration duration) {
    now.addAndGet(duration.toNanos() / 1000);
  }

  private static Rule rule(String id, String limit) {
    return Rule.named(id).per("user").limit(limit).build();
  }

  private static Request user(String id) {
    return Request.of("user", id);
  }
}
