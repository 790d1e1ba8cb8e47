package io.weir.redis;

import static io.weir.redis.Asking.D;
import static io.weir.redis.Asking.PATIENT;
import static io.weir.redis.Asking.budget;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rule.Posture;
import io.weir.rule.Rule;
import io.weir.testkit.Soon;
import io.weir.testkit.redis.FaultProxy;
import io.weir.testkit.redis.RedisProcess;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What the network does: replies cut, bytes lost, another server behind an open connection. */
class FaultsWireTest {

  @Test
  @DisplayName("A8 READONLY: a replica behind open sockets fails one batch, and no restart")
  void a8_aReplicaInItsPlace() {
    Rule rule = budget("a8", 1000, Posture.CLOSED);
    Heard heard = new Heard();
    try (RedisProcess primary = RedisProcess.start();
        RedisProcess replica = RedisProcess.start("replicaof 127.0.0.1 " + primary.port());
        FaultProxy proxy = FaultProxy.to(primary.port());
        RedisStore store = RedisStore.at(uri(proxy)).deadline(PATIENT).listener(heard).open()) {
      Soon.until(
          PATIENT,
          "a replica in sync",
          () ->
              String.valueOf(replica.command("INFO", "replication"))
                  .contains("master_link_status:up"));
      assertThat(Asking.admitted(store, rule, "x", 10)).isEqualTo(10);
      int connections = proxy.connections();

      proxy.swap(replica.port());
      assertThat(Asking.take(store, rule, "x", 1).degraded()).isTrue();
      assertThat(store.health().available()).as("the connection is given up at once").isFalse();
      assertThat(heard.kinds).hasSize(1);
      Soon.until(
          Duration.ofSeconds(2), "another connection", () -> proxy.connections() > connections);

      proxy.swap(primary.port());
      Soon.until(
          Duration.ofSeconds(2), "works again", () -> !Asking.peek(store, rule, "x").degraded());
      assertThat(Asking.used(store, rule, "x")).isEqualTo(10);
      assertThat(Asking.admitted(store, rule, "x", 1000)).isEqualTo(990);
    }
  }

  @Test
  @DisplayName("A12 reply cut after any number of bytes: a new connection, no answer mistaken")
  void a12_cut() {
    try (RedisProcess redis = RedisProcess.start();
        FaultProxy proxy = FaultProxy.to(redis.port());
        RedisStore store = RedisStore.at(uri(proxy)).deadline(D).open();
        Marked marked = Marked.on(store, 16)) {
      marked.steady();
      for (int bytes = 0; bytes < 120; bytes += 7) {
        int before = proxy.connections();
        proxy.cutAfter(bytes);
        Soon.until(PATIENT, "a new connection after " + bytes, () -> proxy.connections() > before);
        Soon.until(PATIENT, "works again after " + bytes, () -> marked.load().inARow() > 30);
      }
      marked.check();
    }
  }

  @Test
  @DisplayName("A12 bytes lost on an open connection: a new connection, no answer mistaken")
  void a12_skipped() {
    try (RedisProcess redis = RedisProcess.start();
        FaultProxy proxy = FaultProxy.to(redis.port());
        RedisStore store = RedisStore.at(uri(proxy)).deadline(D).open();
        Marked marked = Marked.on(store, 16)) {
      marked.steady();
      for (int bytes : new int[] {1, 2, 3, 4, 5, 7, 9, 13, 18, 25, 36, 60, 200}) {
        int before = proxy.connections();
        proxy.skip(bytes);
        Soon.until(PATIENT, "a new connection after " + bytes, () -> proxy.connections() > before);
        Soon.until(PATIENT, "works again after " + bytes, () -> marked.load().inARow() > 30);
      }
      marked.check();
    }
  }

  private static String uri(FaultProxy proxy) {
    return "redis://127.0.0.1:" + proxy.port();
  }
}
