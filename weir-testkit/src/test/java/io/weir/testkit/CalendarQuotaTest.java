package io.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Decision;
import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.internal.rule.Claim;
import io.weir.internal.rule.CompiledRule;
import io.weir.internal.rule.Limit;
import io.weir.internal.store.MemoryStore;
import io.weir.rule.LiveRules;
import io.weir.rule.Rule;
import io.weir.rule.RuleBuilder;
import io.weir.store.StoreOperation;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Quotas per unit of the calendar: edges, edits, clocks, callers. */
class CalendarQuotaTest {
  private final FakeClock clock = new FakeClock(Instant.parse("2026-11-20T12:00:00Z"));

  @Test
  void monthInBerlin_isRenewedAtItsLocalMidnight() {
    Limiter limiter = limiter(rule("5/month").zone("Europe/Berlin").build());
    assertThat(admitted(limiter, 9)).isEqualTo(5);
    Decision refused = limiter.decideNow(request());
    assertThat(clock.now().plus(refused.retryAfter())).isEqualTo("2026-11-30T23:00:00Z");
    at("2026-11-30T22:59:59.999999Z");
    assertThat(admitted(limiter, 9)).isZero();
    at("2026-11-30T23:00:00Z");
    assertThat(admitted(limiter, 9)).isEqualTo(5);
  }

  @Test
  void severalLimits_mixPeriodsAndUnits() {
    Limiter limiter = limiter(rule("2/second", "5/month").zone("UTC").build());
    assertThat(admitted(limiter, 9)).isEqualTo(2);
    clock.advance(Duration.ofSeconds(1));
    assertThat(admitted(limiter, 9)).isEqualTo(2);
    clock.advance(Duration.ofSeconds(1));
    assertThat(admitted(limiter, 9)).isEqualTo(1);
    clock.advance(Duration.ofSeconds(1));
    assertThat(admitted(limiter, 9)).isZero();
  }

  @Test
  void clockThatStepsBackOverAnEdge_givesNothingBack() {
    Limiter limiter = limiter(rule("5/month").zone("UTC").build());
    at("2026-12-01T00:00:01Z");
    assertThat(admitted(limiter, 3)).isEqualTo(3);
    at("2026-11-30T23:59:58Z");
    assertThat(admitted(limiter, 9)).isEqualTo(2);
    at("2026-12-01T00:00:01Z");
    assertThat(admitted(limiter, 9)).isEqualTo(5);
  }

  @Test
  void zoneChangedInMidMonth_keepsWhatWasUsed() {
    for (String zone : List.of("Pacific/Kiritimati", "Pacific/Pago_Pago", "America/New_York")) {
      at("2026-11-20T12:00:00Z");
      LiveRules rules = new LiveRules(List.of(rule("5/month").zone("Europe/Berlin").build()));
      Limiter limiter = limiter(rules);
      assertThat(admitted(limiter, 3)).isEqualTo(3);
      rules.replace(List.of(rule("5/month").zone(zone).build()));
      assertThat(admitted(limiter, 9)).as(zone).isEqualTo(2);
      rules.replace(List.of(rule("5/month").zone("Europe/Berlin").build()));
      assertThat(admitted(limiter, 9)).as(zone + " and back").isZero();
    }
  }

  @Test
  void editFromThirtyDaysToMonthAndBack_keepsWhatWasUsedInWindowsThatBeganInTheNewOne() {
    LiveRules rules = new LiveRules(List.of(rule("5/30d").algorithm("fixed-window").build()));
    Limiter limiter = limiter(rules);
    at("2026-11-02T00:00:00Z"); // the 30 days began on October 4
    assertThat(admitted(limiter, 3)).isEqualTo(3);
    rules.replace(List.of(rule("5/month").zone("UTC").build()));
    assertThat(admitted(limiter, 4)).as("the 30 days began in another month").isEqualTo(4);
    rules.replace(List.of(rule("5/30d").algorithm("fixed-window").build()));
    assertThat(admitted(limiter, 9)).as("the month's usage counts").isEqualTo(1);
    rules.replace(List.of(rule("5/month").zone("UTC").build()));
    assertThat(admitted(limiter, 9)).as("and still counts").isZero();
  }

  @Test
  void resetDayChanged_startsFreshIfTheNewWindowBeganLater() {
    LiveRules rules = new LiveRules(List.of(rule("5/month").resetDay(1).build()));
    Limiter limiter = limiter(rules);
    assertThat(admitted(limiter, 3)).isEqualTo(3);
    rules.replace(List.of(rule("5/month").resetDay(25).build()));
    assertThat(admitted(limiter, 1)).as("the window began on October 25").isEqualTo(1);
    rules.replace(List.of(rule("5/month").resetDay(15).build()));
    assertThat(admitted(limiter, 9)).as("the window began on November 15").isEqualTo(5);
  }

  /** Nodes with different time zone data, as two rules whose zones differ by an hour. */
  @Test
  void nodesThatDisagreeAboutAnEdge_renewTheQuotaOnce() {
    Limit early = CompiledRule.of(rule("5/month").zone("Europe/Berlin").build()).limits().get(0);
    Limit late = CompiledRule.of(rule("5/month").zone("Europe/London").build()).limits().get(0);
    MemoryStore store = new MemoryStore(clock);
    at("2026-11-30T22:59:00Z");
    assertThat(taken(store, early, late, 12)).isEqualTo(5);
    at("2026-11-30T23:30:00Z"); // only the first has begun the new month
    assertThat(taken(store, early, late, 12)).isEqualTo(5);
    at("2026-12-01T00:30:00Z");
    assertThat(taken(store, early, late, 12)).isZero();
    at("2026-12-31T22:59:00Z");
    assertThat(taken(store, early, late, 12)).isZero();
    at("2026-12-31T23:00:00Z");
    assertThat(taken(store, early, late, 12)).isEqualTo(5);
  }

  @Test
  void callersZoneAndDay_decideTheirOwnWindows() {
    Rule rule =
        rule("5/month")
            .calendar(
                c -> c.withZone("tz", java.time.ZoneId.of("UTC")).withResetDay("billing_day", 1))
            .build();
    Limiter limiter = limiter(rule);
    Request tokyo = Request.of("user", "42", "tz", "Asia/Tokyo", "billing_day", "21");
    Decision decision = limiter.decideNow(tokyo);
    assertThat(clock.now().plus(decision.reset())).isEqualTo("2026-11-20T15:00:00Z");
    try (CapturedLogs logs = new CapturedLogs()) {
      for (int i = 0; i < 100; i++) {
        Request wrong = Request.of("user", "7", "tz", "Mars/Base", "billing_day", "32");
        Decision usual = limiter.decideNow(wrong);
        assertThat(clock.now().plus(usual.reset())).isEqualTo("2026-12-01T00:00:00Z");
      }
      assertThat(logs.lines()).hasSizeBetween(1, 9).anyMatch(line -> line.contains("Mars/Base"));
    }
    assertThat(rule.invalidCalendarValues()).isEqualTo(200);
  }

  private int taken(MemoryStore store, Limit one, Limit other, int attempts) {
    int taken = 0;
    for (int i = 0; i < attempts; i++) {
      Claim claim = Claim.of(i % 2 == 0 ? one : other, 42, 1);
      taken += store.apply(new Claim[] {claim}, StoreOperation.TAKE).join()[0].admitted() ? 1 : 0;
    }
    return taken;
  }

  private int admitted(Limiter limiter, int attempts) {
    int admitted = 0;
    for (int i = 0; i < attempts; i++) {
      admitted += limiter.decideNow(request()).allowed() ? 1 : 0;
    }
    return admitted;
  }

  private static Request request() {
    return Request.of("user", "42");
  }

  private void at(String time) {
    Instant instant = Instant.parse(time);
    clock.set(instant.getEpochSecond() * 1_000_000 + instant.getNano() / 1000);
  }

  private static RuleBuilder rule(String... limits) {
    return Rule.named("quota").per("user").limit(limits);
  }

  private Limiter limiter(Rule rule) {
    return limiter(new LiveRules(List.of(rule)));
  }

  private Limiter limiter(LiveRules rules) {
    return Weir.limiter(rules).clock(clock).build();
  }
}
