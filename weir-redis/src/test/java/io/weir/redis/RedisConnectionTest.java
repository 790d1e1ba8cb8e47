package io.weir.redis;

import static io.weir.redis.RedisStoreTestSupport.AWAIT_TIMEOUT;
import static io.weir.redis.RedisStoreTestSupport.FAULT_DEADLINE;
import static io.weir.redis.RedisStoreTestSupport.LONG_DEADLINE;
import static io.weir.redis.RedisStoreTestSupport.budget;
import static io.weir.redis.RedisStoreTestSupport.openAndAwait;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.weir.rule.Rule;
import io.weir.rule.StoreFailureFallback;
import io.weir.testkit.Await;
import io.weir.testkit.CapturedLogs;
import io.weir.testkit.redis.FaultProxy;
import io.weir.testkit.redis.RedisProcess;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** Connecting to a server and agreeing on a layout with the other nodes. */
class RedisConnectionTest {
  private static final Rule RULE = budget("link", 100, StoreFailureFallback.CLOSED);

  @Test
  void missingServer_isJoinedWhenItStarts() {
    try (RedisProcess redis = RedisProcess.start()) {
      RedisStore.at(redis.uri()).open().close(); // the first use of the driver is slow
      long before = RedisLoadGenerator.nowMicros();
      RedisStore.at(redis.uri()).open().close();
      long usualMicros = RedisLoadGenerator.nowMicros() - before;
      redis.kill();
      long startMicros = RedisLoadGenerator.nowMicros();
      try (RedisStore store = RedisStore.at(redis.uri()).deadline(LONG_DEADLINE).open()) {
        assertThat(RedisLoadGenerator.nowMicros() - startMicros)
            .as("time to open")
            .isLessThan(2_000_000 + usualMicros);
        assertThat(RedisStoreTestSupport.take(store, RULE, "x", 1).degraded()).isTrue();
        assertThat(store.health().available()).isFalse();
        assertThat(store.health().state()).startsWith("cannot be reached");
        redis.restart();
        Await.until(
            AWAIT_TIMEOUT,
            "joined",
            () -> !RedisStoreTestSupport.peek(store, RULE, "x").degraded());
        assertThat(RedisStoreTestSupport.countAdmitted(store, RULE, "x", 110)).isEqualTo(100);
        assertThat(store.health().available()).isTrue();
      }
    }
  }

  @Test
  void connectFailureWithoutReason_isRetriedOnce() {
    RuntimeException lost = new IllegalStateException("RedisHandshakeHandler not registered");
    for (RuntimeException first : List.of(lost, new RedisConnectionException("refused"))) {
      Deque<RuntimeException> failures = new ArrayDeque<>();
      failures.add(new CompletionException(first));
      failures.add(new RedisConnectionException("NOAUTH", new RedisException("NOAUTH")));
      assertThatThrownBy(
              () ->
                  RedisConnector.connectRetryingLostReason(
                          () -> CompletableFuture.failedFuture(failures.remove()))
                      .join())
          .hasRootCauseMessage(first == lost ? "NOAUTH" : "refused");
    }
  }

  @Test
  void serverSilentDuringHandshake_isGivenUp() {
    try (RedisProcess redis = RedisProcess.start();
        FaultProxy proxy = FaultProxy.to(redis.port())) {
      redis.command("CLIENT", "PAUSE", "60000", "WRITE"); // replies only to the greeting
      try (RedisStore store = RedisStore.at(uri(proxy)).deadline(FAULT_DEADLINE).open()) {
        assertThat(proxy.acceptedConnections()).isPositive();
        proxy.blackhole(true);
        redis.command("CLIENT", "UNPAUSE");
        Await.sleep(FAULT_DEADLINE);
        proxy.blackhole(false);
        Await.until(
            AWAIT_TIMEOUT,
            "joined",
            () -> !RedisStoreTestSupport.peek(store, RULE, "x").degraded());
      }
    }
  }

  @Test
  void longDeadline_extendsReplyTimeout() {
    try (RedisProcess redis = RedisProcess.start();
        FaultProxy proxy = FaultProxy.to(redis.port());
        RedisStore store = openAndAwait(RedisStore.at(uri(proxy)).deadline(LONG_DEADLINE))) {
      int before = proxy.acceptedConnections();
      proxy.delayReplies(Duration.ofSeconds(2));
      assertThat(RedisStoreTestSupport.take(store, RULE, "x", 1).degraded()).isFalse();
      assertThat(proxy.acceptedConnections()).isEqualTo(before);
    }
  }

  @Test
  void lateNode_isAvailableAfterAdoptingLayout() {
    try (RedisProcess redis = RedisProcess.start();
        FaultProxy proxy = FaultProxy.to(redis.port())) {
      proxy.refuseConnections(true);
      RecordingStoreListener events = new RecordingStoreListener();
      try (RedisStore late =
              RedisStore.at(uri(proxy)).deadline(FAULT_DEADLINE).listener(events).open();
          RedisStore first = openAndAwait(RedisStore.at(redis.uri()).deadline(LONG_DEADLINE))) {
        Await.until(
            AWAIT_TIMEOUT,
            "lost",
            () ->
                RedisStoreTestSupport.take(late, RULE, "x", 1).degraded()
                    && events.lostCount.get() > 0);
        proxy.refuseConnections(false);
        Await.until(
            AWAIT_TIMEOUT, "joined", () -> !RedisStoreTestSupport.peek(late, RULE, "x").degraded());
        assertThat(late.health().available()).isTrue();
        assertThat(RedisStoreTestSupport.countAdmitted(first, RULE, "x", 60)).isEqualTo(60);
        assertThat(RedisStoreTestSupport.usedPermits(late, RULE, "x")).isEqualTo(60);
      }
    }
  }

  @Test
  void wrongPassword_isLoggedOnceWithoutPassword() {
    try (RedisProcess redis = RedisProcess.start("requirepass right");
        CapturedLogs log = new CapturedLogs();
        RedisStore store =
            RedisStore.at("redis://:wrong@127.0.0.1:" + redis.port())
                .deadline(FAULT_DEADLINE)
                .open()) {
      awaitState(store, "rejects the user or password (WRONGPASS");
      assertThat(store.health().state()).doesNotContain(":wrong@");
      assertThat(RedisStoreTestSupport.take(store, RULE, "x", 1).degraded()).isTrue();
      assertLoggedOnce(log, redis, "rejects the user or password");
      assertThat(log.lines()).noneMatch(line -> line.contains(":wrong@"));
    }
  }

  @Test
  void userWithoutScripting_isLoggedOnce() {
    try (RedisProcess redis = RedisProcess.start("user mute on >pw ~* &* +@all -@scripting");
        CapturedLogs log = new CapturedLogs();
        RedisStore store =
            RedisStore.at("redis://mute:pw@127.0.0.1:" + redis.port())
                .deadline(FAULT_DEADLINE)
                .open()) {
      awaitState(store, "does not permit the user to run scripts");
      assertThat(store.health().available()).isFalse();
      assertThat(store.health().state()).contains("+@scripting");
      assertLoggedOnce(log, redis, "does not permit the user to run scripts");
    }
  }

  @Test
  void userWithPassword_connects() {
    try (RedisProcess redis =
            RedisProcess.start("requirepass else", "user weir on >p%40ss ~weir:* &* +@all");
        RedisStore store =
            openAndAwait(
                RedisStore.at("redis://weir:p%2540ss@127.0.0.1:" + redis.port())
                    .deadline(LONG_DEADLINE))) {
      assertThat(RedisStoreTestSupport.countAdmitted(store, RULE, "x", 110)).isEqualTo(100);
    }
  }

  @Test
  void secondNode_adoptsLayoutOfFirst() {
    try (RedisProcess redis = RedisProcess.start();
        CapturedLogs log = new CapturedLogs();
        RedisStore first =
            openAndAwait(
                RedisStore.at(redis.uri()).deadline(LONG_DEADLINE).packedBuckets(1 << 16));
        RedisStore second =
            openAndAwait(RedisStore.at(redis.uri()).deadline(LONG_DEADLINE).packedBuckets(0))) {
      assertThat(RedisStoreTestSupport.countAdmitted(first, RULE, "x", 60)).isEqualTo(60);
      assertThat(RedisStoreTestSupport.countAdmitted(second, RULE, "x", 60)).isEqualTo(40);
      assertThat(log.lines()).filteredOn(line -> line.contains("this node adopts it")).hasSize(1);
    }
  }

  @Test
  void storesWithDifferentPrefixes_haveSeparateBudgets() {
    try (RedisProcess redis = RedisProcess.start();
        RedisStore one =
            openAndAwait(RedisStore.at(redis.uri()).deadline(LONG_DEADLINE).prefix("one"));
        RedisStore two =
            openAndAwait(RedisStore.at(redis.uri()).deadline(LONG_DEADLINE).prefix("two"))) {
      assertThat(RedisStoreTestSupport.countAdmitted(one, RULE, "x", 110)).isEqualTo(100);
      assertThat(RedisStoreTestSupport.countAdmitted(two, RULE, "x", 110)).isEqualTo(100);
      assertThat(redis.command("KEYS", "*:setup") + " " + redis.command("KEYS", "*{*"))
          .contains("one:setup", "two:setup", "one:{0}", "two:{0}");
    }
  }

  @Test
  void nodesAfterFlush_shareOneBudget() {
    try (RedisProcess redis = RedisProcess.start();
        RedisStore one = openAndAwait(RedisStore.at(redis.uri()).deadline(LONG_DEADLINE));
        RedisStore two = openAndAwait(RedisStore.at(redis.uri()).deadline(LONG_DEADLINE))) {
      assertThat(RedisStoreTestSupport.countAdmitted(one, RULE, "x", 50)).isEqualTo(50);
      redis.command("FLUSHALL");
      Await.until(
          AWAIT_TIMEOUT,
          "the layout metadata again",
          () -> redis.command("GET", "weir:setup") != null);
      assertThat(RedisStoreTestSupport.countAdmitted(one, RULE, "x", 60)).isEqualTo(60);
      assertThat(RedisStoreTestSupport.countAdmitted(two, RULE, "x", 60)).isEqualTo(40);
      assertThat(one.fingerprint().of("x")).isEqualTo(two.fingerprint().of("x"));
    }
  }

  @Test
  void foreignLayoutKey_isReportedAndLeftAlone() {
    try (RedisProcess redis = RedisProcess.start()) {
      redis.command("SET", "weir:setup", "mine");
      try (RedisStore store = RedisStore.at(redis.uri()).deadline(FAULT_DEADLINE).open()) {
        awaitState(store, "weir:setup was not written by Weir");
        assertThat(redis.command("GET", "weir:setup")).isEqualTo("mine");
      }
    }
  }

  /** Waits for the first attempt to fail, during the opening of the store or soon after. */
  private static void awaitState(RedisStore store, String reason) {
    Await.until(AWAIT_TIMEOUT, reason, () -> store.health().state().contains(reason));
  }

  /** Checks after several attempts that the reason is logged once, unless another came between. */
  private static void assertLoggedOnce(CapturedLogs log, RedisProcess redis, String reason) {
    long before = connectionsReceived(redis);
    Await.until(AWAIT_TIMEOUT, "several attempts", () -> connectionsReceived(redis) > before + 3);
    List<String> reasons = log.lines().stream().filter(l -> l.startsWith("redis://")).toList();
    assertThat(reasons).anyMatch(line -> line.contains(reason));
    for (int i = 1; i < reasons.size(); i++) {
      assertThat(reasons.get(i)).isNotEqualTo(reasons.get(i - 1));
    }
  }

  private static long connectionsReceived(RedisProcess redis) {
    return String.valueOf(redis.command("INFO", "stats"))
        .lines()
        .filter(line -> line.startsWith("total_connections_received:"))
        .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1).trim()))
        .sum();
  }

  private static String uri(FaultProxy proxy) {
    return "redis://127.0.0.1:" + proxy.port();
  }
}
