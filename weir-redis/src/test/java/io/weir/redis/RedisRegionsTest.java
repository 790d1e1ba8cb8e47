package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.internal.region.LedgerSnapshot;
import io.weir.internal.region.LedgerSnapshot.RegionStatus;
import io.weir.internal.region.RegionalRules;
import io.weir.internal.region.ShareRebalancer;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rule.StoreFailureFallback;
import io.weir.store.Clock;
import io.weir.testkit.Await;
import io.weir.testkit.CapturedLogs;
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

/** Two regions, each with its own Redis, and a third Redis for the ledger. */
@Timeout(300)
@Tag("slow")
class RedisRegionsTest {
  private static final Duration AWAIT_TIMEOUT = Duration.ofSeconds(60);
  private static final Duration LONG_DEADLINE = Duration.ofSeconds(20);
  private static final Duration INTERVAL = Duration.ofMillis(200);
  private static final Clock CLOCK = Clock.system();
  private static final long PERMITS = 200;
  private static final Rule RULE =
      Rule.named("api")
          .limit(PERMITS + "/second")
          .regions(Map.of("eu", 50, "us", 50))
          .onStoreFailure(StoreFailureFallback.CLOSED)
          .build();

  private static CapturedLogs log;
  private static RedisProcess here;
  private static RedisProcess there;
  private static RedisProcess link;
  private static FaultProxy proxy;

  @BeforeAll
  static void start() {
    log = new CapturedLogs();
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
    proxy.refuseConnections(false);
    link.command("FLUSHALL");
    here.command("FLUSHALL");
    there.command("FLUSHALL");
  }

  /** A region with one node. */
  private static final class RegionTestNode implements AutoCloseable {
    final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    final RedisStore store;
    final RegionalRules rules;
    final ShareRebalancer rebalancer;
    final Limiter limiter;
    long admitted;

    RegionTestNode(String name, RedisProcess redis, String link) {
      store = RedisStore.at(redis.uri()).deadline(LONG_DEADLINE).open();
      rules = new RegionalRules(RuleSet.of(RULE), name);
      rebalancer =
          new ShareRebalancer(
              rules,
              RedisRegionLedger.at(link, "weir"),
              CLOCK,
              (micros, task) -> {
                var unused = timer.schedule(task, micros, TimeUnit.MICROSECONDS);
              },
              INTERVAL,
              () -> store.health().nodes());
      limiter = Weir.limiter(rules).store(store).listener(rebalancer).build();
      rebalancer.start();
    }

    int share() {
      return rules.shares().getOrDefault("api", -1);
    }

    /** Takes some permits; called often enough to exceed the limit per second. */
    void takeSome() {
      for (int i = 0; i < 5; i++) {
        admitted += limiter.decideNow(Request.of("k", "v")).allowed() ? 1 : 0;
      }
    }

    @Override
    public void close() {
      timer.shutdownNow();
      rebalancer.close();
      store.close();
    }
  }

  private static boolean isLive(LedgerSnapshot snapshot, String region) {
    RegionStatus status = snapshot.regions().get(region);
    return status != null && status.live();
  }

  /** Returns the ledger entry of the region us, which contains the time of its last report. */
  private static String ledgerEntryOfUs() {
    return String.valueOf(link.command("HGET", "weir:region:api:eu=50,us=50", "r us"));
  }

  private static String proxiedLinkUri() {
    return "redis://127.0.0.1:" + proxy.port();
  }

  @Test
  void shares_followDemandAndDisconnectedRegionKeepsItsShare() {
    try (RegionTestNode eu = new RegionTestNode("eu", here, proxiedLinkUri());
        RegionTestNode us = new RegionTestNode("us", there, link.uri())) {
      long began = CLOCK.micros();
      assertThat(eu.share()).isEqualTo(500);
      assertThat(us.share()).isEqualTo(500);

      askUntil("all but a tenth", () -> eu.share() >= 900 && us.share() <= 100, eu, us, eu);
      askUntil("half each", () -> eu.share() <= 550 && us.share() >= 450, eu, us, eu, us);
      askUntil("all but a tenth again", () -> eu.share() >= 900, eu, us, eu);

      int kept = eu.share();
      proxy.refuseConnections(true);
      askUntil(
          "eu is silent",
          () ->
              us.rebalancer.snapshots().values().stream()
                  .noneMatch(snapshot -> isLive(snapshot, "eu")),
          eu,
          us,
          us);
      for (int beat = 0; beat < 5; beat++) {
        String now = ledgerEntryOfUs();
        askUntil("another report of us", () -> !ledgerEntryOfUs().equals(now), eu, us, eu, us);
      }
      assertThat(eu.share()).isEqualTo(kept);
      assertThat(us.share()).isLessThanOrEqualTo(1000 - kept);
      assertThat(eu.rebalancer.lastError()).isNotEmpty();

      proxy.refuseConnections(false);
      askUntil("us gets its share", () -> us.share() >= 450, eu, us, eu, us);
      double seconds = (CLOCK.micros() - began) / 1e6;
      assertThat(eu.admitted + us.admitted)
          .as("admitted in both regions in %s s", seconds)
          .isGreaterThan(0)
          .isLessThanOrEqualTo((long) (PERMITS + PERMITS * seconds) + 1);
    }
  }

  @Test
  void missingLedger_leavesConfiguredSharesUntilItIsReachable() {
    proxy.refuseConnections(true);
    try (RegionTestNode eu = new RegionTestNode("eu", here, proxiedLinkUri());
        RegionTestNode us = new RegionTestNode("us", there, proxiedLinkUri())) {
      assertThat(eu.share()).isEqualTo(500);
      eu.takeSome();
      assertThat(eu.admitted).isPositive();
      assertThat(eu.rebalancer.snapshots()).isEmpty();
      proxy.refuseConnections(false);
      askUntil("all but a tenth", () -> eu.share() >= 900, eu, us, eu);
      assertThat(eu.rebalancer.lastError()).isEmpty();
    }
  }

  /** Lets regions take permits until a condition holds; the shares never exceed the whole. */
  private static void askUntil(
      String description,
      BooleanSupplier done,
      RegionTestNode first,
      RegionTestNode second,
      RegionTestNode... askers) {
    Await.until(
        AWAIT_TIMEOUT,
        description + " (" + first.share() + ", " + second.share() + ")",
        () -> {
          for (RegionTestNode asker : askers) {
            asker.takeSome();
          }
          int before = first.share();
          int other = second.share();
          assertThat(Math.min(before, first.share()) + other)
              .as(description)
              .isLessThanOrEqualTo(1000);
          return done.getAsBoolean();
        });
  }
}
