package io.weir.redis;

import static io.weir.redis.Asking.D;
import static io.weir.redis.Asking.PATIENT;
import static io.weir.redis.Asking.budget;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rule.Posture;
import io.weir.rule.Rule;
import io.weir.testkit.redis.FaultProxy;
import io.weir.testkit.redis.RedisProcess;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Coming to a server, and to an understanding with the other nodes on it. */
class LinkTest {
  private static final Rule RULE = budget("link", 100, Posture.CLOSED);

  @Test
  void startsWithoutAServerAndJoinsWhenItComes() {
    try (RedisProcess redis = RedisProcess.start()) {
      RedisStore.at(redis.uri()).open().close(); // the driver's first use takes its time
      redis.kill();
      long began = Load.now();
      try (RedisStore store = RedisStore.at(redis.uri()).deadline(D).open()) {
        assertThat(Load.now() - began).as("time to open").isLessThan(2_000_000);
        assertThat(Asking.take(store, RULE, "x", 1).degraded()).isTrue();
        assertThat(store.health().available()).isFalse();
        assertThat(store.health().state()).startsWith("cannot be reached");
        redis.restart();
        Soon.until(
            Duration.ofSeconds(2), "joined", () -> !Asking.peek(store, RULE, "x").degraded());
        assertThat(Asking.admitted(store, RULE, "x", 110)).isEqualTo(100);
        assertThat(store.health().available()).isTrue();
      }
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
        Soon.until(PATIENT, "joined", () -> !Asking.peek(store, RULE, "x").degraded());
      }
    }
  }

  @Test
  void isAvailableAgainAfterItJoinedOthersThatWereThereFirst() {
    try (RedisProcess redis = RedisProcess.start();
        FaultProxy proxy = FaultProxy.to(redis.port())) {
      proxy.refuse(true);
      Heard heard = new Heard();
      try (RedisStore late = RedisStore.at(uri(proxy)).deadline(D).listener(heard).open();
          RedisStore first = RedisStore.at(redis.uri()).deadline(PATIENT).open()) {
        Soon.until(
            PATIENT,
            "lost",
            () -> Asking.take(late, RULE, "x", 1).degraded() && heard.lost.get() > 0);
        proxy.refuse(false);
        Soon.until(PATIENT, "joined", () -> !Asking.peek(late, RULE, "x").degraded());
        assertThat(late.health().available()).isTrue();
        assertThat(Asking.admitted(first, RULE, "x", 60)).isEqualTo(60);
        assertThat(Asking.used(late, RULE, "x")).isEqualTo(60);
      }
    }
  }

  private static String uri(FaultProxy proxy) {
    return "redis://127.0.0.1:" + proxy.port();
  }
}
