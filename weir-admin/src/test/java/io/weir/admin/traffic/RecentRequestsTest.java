package io.weir.admin.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.testkit.FakeClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Records the last hour in bounded memory and replays it under other rules. */
class RecentRequestsTest {
  private final FakeClock clock = new FakeClock();
  private final RuleSet rules =
      RuleSet.of(
          Rule.named("api").per("user").limit("5/minute").build(),
          Rule.named("other").match("user", "stopped").limit("0/second").build());

  private RecentRequests recent(int maxRequests) {
    return new RecentRequests(clock, maxRequests);
  }

  private Limiter limiter(RecentRequests recent) {
    return Weir.limiter(rules).clock(clock).listener(recent.listener()).build();
  }

  @Test
  void requests_areKeptForOneHour() {
    RecentRequests recent = recent(1000);
    Limiter limiter = limiter(recent);
    limiter.decideNow(Request.of("user", "first"));
    clock.advance(Duration.ofMinutes(59));
    limiter.decideNow(Request.of("user", "second"));
    limiter.peek(Request.of("user", "asks only")).join();
    assertThat(recent.all())
        .extracting(one -> one.request().get("user"))
        .containsExactly("first", "second");
    clock.advance(Duration.ofMinutes(2));
    assertThat(recent.all()).hasSize(1);
    assertThat(recent.since(60L * 1_000_000)).isEmpty();
  }

  @Test
  void tooManyCallers_areSampledByCaller() {
    RecentRequests recent = recent(800);
    Limiter limiter = limiter(recent);
    int rounds = 8;
    int callers = 1000;
    for (int round = 0; round < rounds; round++) {
      for (int i = 0; i < callers; i++) {
        limiter.decideNow(Request.of("user", "caller-" + i));
        clock.advance(Duration.ofMillis(1));
      }
    }
    List<PastRequest> all = recent.all();
    assertThat(all).hasSizeLessThanOrEqualTo(800);
    assertThat(recent.weight()).isGreaterThan(4);
    String one = all.get(all.size() - 1).request().get("user");
    assertThat(all.stream().filter(past -> one != null && one.equals(past.request().get("user"))))
        .as("all requests of a sampled caller")
        .hasSize(rounds);
    long represented = all.stream().mapToLong(PastRequest::weight).sum();
    assertThat(represented).isBetween(4000L, 16_000L);
  }

  @Test
  void singleCaller_keepsTheMostRecentRequests() {
    RecentRequests recent = recent(100);
    Limiter limiter = limiter(recent);
    for (int i = 0; i < 1000; i++) {
      limiter.decideNow(Request.of("user", "only"));
      clock.advance(Duration.ofSeconds(1));
    }
    assertThat(recent.weight()).isEqualTo(1);
    assertThat(recent.all()).hasSizeBetween(50, 101);
  }

  @Test
  void longRequests_areSkippedAndCounted() {
    RecentRequests recent = recent(100);
    limiter(recent).decideNow(Request.of("user", "x".repeat(5000)));
    assertThat(recent.all()).isEmpty();
    assertThat(recent.skipped()).isEqualTo(1);
  }

  @Test
  void replay_matchesTheDecisionsOfALimiter() {
    RecentRequests recent = recent(10_000);
    Limiter limiter = limiter(recent);
    Rule candidate = Rule.named("api").per("user").limit("3/minute").shadow(true).build();
    List<Boolean> expected = new ArrayList<>();
    Limiter other = Weir.limiter(RuleReplay.withRule(rules, candidate)).clock(clock).build();
    for (int i = 0; i < 500; i++) {
      Request request = Request.of("user", "u" + i % 7);
      limiter.decideNow(request);
      expected.add(other.decideNow(request).allowed());
      clock.advance(Duration.ofMillis(700 + 13 * (i % 5)));
    }
    RuleReplay.ReplayResult changed =
        RuleReplay.run(recent.all(), RuleReplay.withRule(rules, candidate), "api");
    long refused = expected.stream().filter(allowed -> !allowed).count();
    assertThat(refused).isGreaterThan(50);
    assertThat(changed.refused()).isEqualTo(refused);
    assertThat(changed.matched()).isEqualTo(500);
    RuleReplay.ReplayResult unchanged = RuleReplay.run(recent.all(), rules, "api");
    long refusedBefore = recent.all().stream().filter(PastRequest::refused).count();
    assertThat(unchanged.refused()).as("a replay under the same rules").isEqualTo(refusedBefore);
    assertThat(unchanged.refused()).isLessThan(changed.refused());
  }

  @Test
  void requestRefusedByAnotherRule_isNotCharged() {
    RecentRequests recent = recent(100);
    Limiter limiter = limiter(recent);
    for (int i = 0; i < 20; i++) {
      limiter.decideNow(Request.of("user", "stopped"));
    }
    Rule candidate = Rule.named("api").per("user").limit("5/minute").build();
    assertThat(RuleReplay.run(recent.all(), RuleReplay.withRule(rules, candidate), "api").refused())
        .isZero();
  }

  @Test
  void endpoints_areRankedByPattern() {
    RecentRequests recent = recent(100);
    Limiter limiter = limiter(recent);
    for (int i = 0; i < 7; i++) {
      limiter.decideNow(Request.of("user", "ann", "endpoint", "GET /v1/orders/" + i + "/lines"));
    }
    limiter.decideNow(Request.of("endpoint", "GET /v1/files/2f1c0a52-9d7e-4a0f-8d2b-0123456789ab"));
    assertThat(TopAttributeValues.rank("endpoint", recent.all(), 10))
        .containsExactly(
            new TopAttributeValues.AttributeTraffic("endpoint", "GET /v1/orders/*/lines", 7, 2),
            new TopAttributeValues.AttributeTraffic("endpoint", "GET /v1/files/*", 1, 0));
    assertThat(TopAttributeValues.rank("user", recent.all(), 10)).hasSize(1);
    assertThat(TopAttributeValues.rank("ip", recent.all(), 10)).isEmpty();
  }
}
