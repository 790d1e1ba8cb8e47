package io.weir.redis;

import static io.weir.redis.Asking.D;
import static io.weir.redis.Asking.LONG;
import static io.weir.redis.Asking.PATIENT;
import static io.weir.redis.Asking.budget;
import static io.weir.redis.Asking.joined;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.weir.rule.Posture;
import io.weir.rule.Rule;
import io.weir.testkit.LogLines;
import io.weir.testkit.Soon;
import io.weir.testkit.redis.FaultProxy;
import io.weir.testkit.redis.RedisProcess;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** Coming to a server, and to an understanding with the other nodes on it. */
class LinkTest {
  private static final Rule RULE = budget("link", 100, Posture.CLOSED);

  @Test
  void startsWithoutAServerAndJoinsWhenItComes() {
    try (RedisProcess redis = RedisProcess.start()) {
      RedisStore.at(redis.uri()).open().close(); // the driver's first use takes its time
      long before = Load.now();
      RedisStore.at(redis.uri()).open().close();
      long usual = Load.now() - before;
      redis.kill();
      long began = Load.now();
      try (RedisStore store = RedisStore.at(redis.uri()).deadline(PATIENT).open()) {
        assertThat(Load.now() - began).as("time to open").isLessThan(2_000_000 + usual);
        assertThat(Asking.take(store, RULE, "x", 1).degraded()).isTrue();
        assertThat(store.health().available()).isFalse();
        assertThat(store.health().state()).startsWith("cannot be reached");
        redis.restart();
        Soon.until(LONG, "joined", () -> !Asking.peek(store, RULE, "x").degraded());
        assertThat(Asking.admitted(store, RULE, "x", 110)).isEqualTo(100);
        assertThat(store.health().available()).isTrue();
      }
    }
  }

  @Test
  void aReasonThatTheDriverLostIsAskedForOnceMore() {
    RuntimeException lost = new IllegalStateException("RedisHandshakeHandler not registered");
    for (RuntimeException first : List.of(lost, new RedisConnectionException("refused"))) {
      Deque<RuntimeException> failures = new ArrayDeque<>();
      failures.add(new CompletionException(first));
      failures.add(new RedisConnectionException("NOAUTH", new RedisException("NOAUTH")));
      assertThatThrownBy(
              () -> Route.told(() -> CompletableFuture.failedFuture(failures.remove())).join())
          .hasRootCauseMessage(first == lost ? "NOAUTH" : "refused");
    }
  }

  @Test
  void givesUpAServerThatFallsSilentBeforeItIsReady() {
    try (RedisProcess redis = RedisProcess.start();
        FaultProxy proxy = FaultProxy.to(redis.port())) {
      redis.command("CLIENT", "PAUSE", "60000", "WRITE"); // it greets, and then says no more
      try (RedisStore store = RedisStore.at(uri(proxy)).deadline(D).open()) {
        assertThat(proxy.connections()).isPositive();
        proxy.blackhole(true);
        redis.command("CLIENT", "UNPAUSE");
        Soon.pass(D);
        proxy.blackhole(false);
        Soon.until(LONG, "joined", () -> !Asking.peek(store, RULE, "x").degraded());
      }
    }
  }

  @Test
  void waitsLongerThanASecondIfTheDeadlineIsLonger() {
    try (RedisProcess redis = RedisProcess.start();
        FaultProxy proxy = FaultProxy.to(redis.port());
        RedisStore store = joined(RedisStore.at(uri(proxy)).deadline(PATIENT))) {
      int before = proxy.connections();
      proxy.delay(Duration.ofSeconds(2));
      assertThat(Asking.take(store, RULE, "x", 1).degraded()).isFalse();
      assertThat(proxy.connections()).isEqualTo(before);
    }
  }

  @Test
  void isAvailableAgainAfterItJoinedOthersThatWereThereFirst() {
    try (RedisProcess redis = RedisProcess.start();
        FaultProxy proxy = FaultProxy.to(redis.port())) {
      proxy.refuse(true);
      Heard heard = new Heard();
      try (RedisStore late = RedisStore.at(uri(proxy)).deadline(D).listener(heard).open();
          RedisStore first = joined(RedisStore.at(redis.uri()).deadline(PATIENT))) {
        Soon.until(
            LONG, "lost", () -> Asking.take(late, RULE, "x", 1).degraded() && heard.lost.get() > 0);
        proxy.refuse(false);
        Soon.until(LONG, "joined", () -> !Asking.peek(late, RULE, "x").degraded());
        assertThat(late.health().available()).isTrue();
        assertThat(Asking.admitted(first, RULE, "x", 60)).isEqualTo(60);
        assertThat(Asking.used(late, RULE, "x")).isEqualTo(60);
      }
    }
  }

  @Test
  void aWrongPasswordIsSaidOnceAndClearly() {
    try (RedisProcess redis = RedisProcess.start("requirepass right");
        LogLines log = new LogLines();
        RedisStore store =
            RedisStore.at("redis://:wrong@127.0.0.1:" + redis.port()).deadline(D).open()) {
      says(store, "the user or password is wrong (WRONGPASS");
      assertThat(store.health().state()).doesNotContain(":wrong@");
      assertThat(Asking.take(store, RULE, "x", 1).degraded()).isTrue();
      onceOnly(log, redis, "the user or password is wrong");
      assertThat(log.lines()).noneMatch(line -> line.contains(":wrong@"));
    }
  }

  @Test
  void aUserWhoMayNotScriptIsToldSoOnce() {
    try (RedisProcess redis = RedisProcess.start("user mute on >pw ~* &* +@all -@scripting");
        LogLines log = new LogLines();
        RedisStore store =
            RedisStore.at("redis://mute:pw@127.0.0.1:" + redis.port()).deadline(D).open()) {
      says(store, "may not run scripts");
      assertThat(store.health().available()).isFalse();
      assertThat(store.health().state()).contains("+@scripting");
      onceOnly(log, redis, "may not run scripts");
    }
  }

  @Test
  void aUserWithAPasswordIsLetIn() {
    try (RedisProcess redis =
            RedisProcess.start("requirepass else", "user weir on >p%40ss ~weir:* &* +@all");
        RedisStore store =
            joined(
                RedisStore.at("redis://weir:p%2540ss@127.0.0.1:" + redis.port())
                    .deadline(PATIENT))) {
      assertThat(Asking.admitted(store, RULE, "x", 110)).isEqualTo(100);
    }
  }

  @Test
  void aSecondNodeFollowsTheFirstOnesSetup() {
    try (RedisProcess redis = RedisProcess.start();
        LogLines log = new LogLines();
        RedisStore first = joined(RedisStore.at(redis.uri()).deadline(PATIENT).pages(1 << 16));
        RedisStore second = joined(RedisStore.at(redis.uri()).deadline(PATIENT).pages(0))) {
      assertThat(Asking.admitted(first, RULE, "x", 60)).isEqualTo(60);
      assertThat(Asking.admitted(second, RULE, "x", 60)).isEqualTo(40);
      assertThat(log.lines()).filteredOn(line -> line.contains("this node follows")).hasSize(1);
    }
  }

  @Test
  void prefixesKeepBudgetsApart() {
    try (RedisProcess redis = RedisProcess.start();
        RedisStore one = joined(RedisStore.at(redis.uri()).deadline(PATIENT).prefix("one"));
        RedisStore two = joined(RedisStore.at(redis.uri()).deadline(PATIENT).prefix("two"))) {
      assertThat(Asking.admitted(one, RULE, "x", 110)).isEqualTo(100);
      assertThat(Asking.admitted(two, RULE, "x", 110)).isEqualTo(100);
      assertThat(redis.command("DBSIZE")).isEqualTo(4L);
    }
  }

  @Test
  void afterAFlushNodesStillShareOneBudget() {
    try (RedisProcess redis = RedisProcess.start();
        RedisStore one = joined(RedisStore.at(redis.uri()).deadline(PATIENT));
        RedisStore two = joined(RedisStore.at(redis.uri()).deadline(PATIENT))) {
      assertThat(Asking.admitted(one, RULE, "x", 50)).isEqualTo(50);
      redis.command("FLUSHALL");
      Soon.until(LONG, "the set-up again", () -> redis.command("GET", "weir:setup") != null);
      assertThat(Asking.admitted(one, RULE, "x", 60)).isEqualTo(60);
      assertThat(Asking.admitted(two, RULE, "x", 60)).isEqualTo(40);
      assertThat(one.fingerprint().of("x")).isEqualTo(two.fingerprint().of("x"));
    }
  }

  @Test
  void aStrangersSetupIsNotTouchedAndSaid() {
    try (RedisProcess redis = RedisProcess.start()) {
      redis.command("SET", "weir:setup", "mine");
      try (RedisStore store = RedisStore.at(redis.uri()).deadline(D).open()) {
        says(store, "weir:setup is not Weir's");
        assertThat(redis.command("GET", "weir:setup")).isEqualTo("mine");
      }
    }
  }

  /** The first try has failed and said so, if not while the store was opened then soon after. */
  private static void says(RedisStore store, String what) {
    Soon.until(LONG, what, () -> store.health().state().contains(what));
  }

  /** Several tries later it is still said once, unless something else came in between. */
  private static void onceOnly(LogLines log, RedisProcess redis, String what) {
    long before = connections(redis);
    Soon.until(LONG, "several tries", () -> connections(redis) > before + 3);
    List<String> said = log.lines().stream().filter(l -> l.startsWith("redis://")).toList();
    assertThat(said).anyMatch(line -> line.contains(what));
    for (int i = 1; i < said.size(); i++) {
      assertThat(said.get(i)).isNotEqualTo(said.get(i - 1));
    }
  }

  private static long connections(RedisProcess redis) {
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
