package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.region.Reconciliation;
import io.weir.region.RegionalRules;
import io.weir.region.Table;
import io.weir.region.Table.Standing;
import io.weir.rule.Posture;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.store.Clock;
import io.weir.testkit.LogLines;
import io.weir.testkit.Soon;
import io.weir.testkit.redis.FaultProxy;
import io.weir.testkit.redis.RedisProcess;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two regions, each on a Redis of its own, linked by a third. */
@Timeout(300)
@Tag("slow")
class RegionsTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final Duration PATIENT = Duration.ofSeconds(20);
  private static final Duration INTERVAL = Duration.ofMillis(200);
  private static final Clock CLOCK = Clock.system();
  private static final long PERMITS = 200;
  private static final Rule RULE =
      Rule.named("api")
          .limit(PERMITS + "/second")
          .regions(Map.of("eu", 50, "us", 50))
          .onStoreFailure(Posture.CLOSED)
          .build();

  private static LogLines log;
  private static RedisProcess here;
  private static RedisProcess there;
  private static RedisProcess link;
  private static FaultProxy proxy;

  @BeforeAll
  static void start() {
    log = new LogLines();
    here = RedisProcess.start();
    there = RedisProcess.start();
    link = RedisProcess.start();
    proxy = FaultProxy.to(link.port());
  }

  @AfterAll
  static void stop() {
    proxy.close();
    link.close();
    there.close();
    here.close();
    log.close();
  }

  @BeforeEach
  void clear() {
    proxy.refuse(false);
    link.command("FLUSHALL");
    here.command("FLUSHALL");
    there.command("FLUSHALL");
  }

  /** A node of a region. */
  private static final class Region implements AutoCloseable {
    final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    final RedisStore store;
    final RegionalRules rules;
    final Reconciliation reconciliation;
    final Limiter limiter;
    long admitted;

    Region(String name, RedisProcess redis, String link) {
      store = RedisStore.at(redis.uri()).deadline(PATIENT).open();
      rules = new RegionalRules(RuleSet.of(RULE), name);
      reconciliation =
          new Reconciliation(
              rules,
              RedisLedger.at(link, "weir"),
              CLOCK,
              (micros, task) -> {
                var unused = timer.schedule(task, micros, TimeUnit.MICROSECONDS);
              },
              INTERVAL,
              () -> store.health().nodes());
      limiter = Weir.limiter(rules).store(store).listener(reconciliation).build();
      reconciliation.start();
    }

    int share() {
      return rules.shares().getOrDefault("api", -1);
    }

    /** Asks for some permits, more in a second than there are. */
    void ask() {
      for (int i = 0; i < 5; i++) {
        admitted += limiter.decideNow(Request.of("k", "v")).allowed() ? 1 : 0;
      }
    }

    @Override
    public void close() {
      timer.shutdownNow();
      reconciliation.close();
      store.close();
    }
  }

  private static boolean isLive(Table table, String region) {
    Standing standing = table.regions().get(region);
    return standing != null && standing.live();
  }

  /** What the ledger holds of a region, with the time it was written. */
  private static String wordOfUs() {
    return String.valueOf(link.command("HGET", "weir:region:api:eu=50,us=50", "r us"));
  }

  private static String proxied() {
    return "redis://127.0.0.1:" + proxy.port();
  }

  @Test
  void sharesFollowDemandAndARegionCutOffKeepsItsShare() {
    try (Region eu = new Region("eu", here, proxied());
        Region us = new Region("us", there, link.uri())) {
      long began = CLOCK.micros();
      assertThat(eu.share()).isEqualTo(500);
      assertThat(us.share()).isEqualTo(500);

      asking("all but a tenth", () -> eu.share() >= 900 && us.share() <= 100, eu, us, eu);
      asking("half each", () -> eu.share() <= 550 && us.share() >= 450, eu, us, eu, us);
      asking("all but a tenth again", () -> eu.share() >= 900, eu, us, eu);

      int kept = eu.share();
      proxy.refuse(true);
      asking(
          "eu has fallen silent",
          () -> us.reconciliation.tables().values().stream().noneMatch(t -> isLive(t, "eu")),
          eu,
          us,
          us);
      for (int beat = 0; beat < 5; beat++) {
        String now = wordOfUs();
        asking("another word of us", () -> !wordOfUs().equals(now), eu, us, eu, us);
      }
      assertThat(eu.share()).isEqualTo(kept);
      assertThat(us.share()).isLessThanOrEqualTo(1000 - kept);
      assertThat(eu.reconciliation.trouble()).isNotEmpty();

      proxy.refuse(false);
      asking("us gets its own", () -> us.share() >= 450, eu, us, eu, us);
      double seconds = (CLOCK.micros() - began) / 1e6;
      assertThat(eu.admitted + us.admitted)
          .as("admitted in both regions in %s s", seconds)
          .isGreaterThan(0)
          .isLessThanOrEqualTo((long) (PERMITS + PERMITS * seconds) + 1);
    }
  }

  @Test
  void withoutTheLinkSharesAreAsWrittenAndItJoinsWhenItComes() {
    proxy.refuse(true);
    try (Region eu = new Region("eu", here, proxied());
        Region us = new Region("us", there, proxied())) {
      assertThat(eu.share()).isEqualTo(500);
      eu.ask();
      assertThat(eu.admitted).isPositive();
      assertThat(eu.reconciliation.tables()).isEmpty();
      proxy.refuse(false);
      asking("all but a tenth", () -> eu.share() >= 900, eu, us, eu);
      assertThat(eu.reconciliation.trouble()).isEmpty();
    }
  }

  /** Has some regions ask until something is so; shares never are more than all there is. */
  private static void asking(
      String what, BooleanSupplier done, Region a, Region b, Region... askers) {
    Soon.until(
        LONG,
        what + " (" + a.share() + ", " + b.share() + ")",
        () -> {
          for (Region asker : askers) {
            asker.ask();
          }
          int before = a.share();
          int other = b.share();
          assertThat(Math.min(before, a.share()) + other).as(what).isLessThanOrEqualTo(1000);
          return done.getAsBoolean();
        });
  }
}
