package io.weir.redis;

import static io.weir.redis.Asking.D;
import static io.weir.redis.Asking.LONG;
import static io.weir.redis.Asking.PATIENT;
import static io.weir.redis.Asking.budget;
import static io.weir.redis.Asking.claim;
import static io.weir.redis.Asking.joined;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rule.Claim;
import io.weir.rule.Posture;
import io.weir.rule.Rule;
import io.weir.store.Mode;
import io.weir.testkit.Soon;
import io.weir.testkit.redis.FaultProxy;
import io.weir.testkit.redis.RedisProcess;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the network does to the way to a node of a cluster, here its only one. */
@Tag("slow")
class FaultsClusterWireTest {
  private static final int CALLERS = 16;

  /** A second without an answer, half a one between tries, and time for the machine to notice. */
  private static final Duration AGAIN = Duration.ofSeconds(5);

  private RedisProcess node;
  private FaultProxy proxy;
  private RedisStore store;

  @BeforeEach
  void start() {
    node = RedisProcess.start("cluster-enabled yes");
    proxy = FaultProxy.to(node.port());
    node.command("CONFIG", "SET", "cluster-announce-port", Integer.toString(proxy.port()));
    node.command("CLUSTER", "ADDSLOTSRANGE", "0", "16383");
    Soon.until(
        LONG,
        "a cluster",
        () -> String.valueOf(node.command("CLUSTER", "INFO")).contains("cluster_state:ok"));
    store = joined(RedisStore.at(uri()).deadline(D));
  }

  @AfterEach
  void stop() {
    store.close();
    proxy.close();
    node.close();
  }

  @Test
  @DisplayName("A12 in a cluster, a connection without a sound is given up")
  void a12_silent() {
    try (Marked marked = Marked.on(store, CALLERS)) {
      marked.steady();
      proxy.strand();
      Soon.until(LONG, "signals", () -> !store.health().available());
      marked.load().anew();
      Soon.until(AGAIN, "works again", () -> marked.load().inARow() > 100);
      marked.check();
    }
  }

  @Test
  @DisplayName("A12 in a cluster, a node that cannot be reached for long is tried often")
  void a12_unreachable() {
    try (Marked marked = Marked.on(store, CALLERS)) {
      marked.steady();
      proxy.blackhole(true);
      Soon.pass(Duration.ofSeconds(8));
      assertThat(store.health().available()).isFalse();
      proxy.blackhole(false);
      marked.load().anew();
      Soon.until(AGAIN, "works again", () -> marked.load().inARow() > 100);
      marked.check();
    }
  }

  @Test
  @DisplayName("A12 in a cluster, what was sent over a connection that broke is not sent again")
  void a12_onceOnly() {
    Rule rule = budget("once", 10, Posture.CLOSED);
    assertThat(Asking.used(store, rule, "x")).isZero();
    long before = Asking.decisions(node);
    proxy.hold(true);
    var answer = store.take(new Claim[] {claim(store, rule, "x", 1)}, Mode.TAKE);
    Soon.until(LONG, "the charge", () -> Asking.decisions(node) > before);
    proxy.refuse(true);
    proxy.refuse(false);
    proxy.hold(false);
    assertThat(answer.join()[0].degraded()).isTrue();
    Soon.until(LONG, "works again", () -> !Asking.peek(store, rule, "x").degraded());
    assertThat(Asking.used(store, rule, "x")).isEqualTo(1);
  }

  @Test
  @DisplayName("A12 in a cluster, a call over a connection that broke fails at once")
  void a12_broken() {
    Rule rule = budget("broken", 10, Posture.CLOSED);
    try (RedisStore patient = joined(RedisStore.at(uri()).deadline(PATIENT))) {
      assertThat(Asking.used(patient, rule, "x")).isZero();
      proxy.refuse(true);
      long began = Load.now();
      for (int i = 0; i < 10; i++) {
        assertThat(Asking.take(patient, rule, "x", 1).degraded()).isTrue();
      }
      assertThat(Load.now() - began).isLessThan(PATIENT.toNanos() / 2000);
    }
  }

  @ParameterizedTest(name = "A12 {0} on the way to a node: no answer mistaken")
  @CsvSource({
    "a line without an end, '+a\n'",
    "nothing, '$-1\r\n'",
    "an error, '-ERR stray\r\n'",
  })
  void a12_inserted(String what, String bytes) {
    try (Marked marked = Marked.on(store, CALLERS)) {
      marked.steady();
      int before = proxy.connections();
      proxy.insert(bytes);
      Soon.until(LONG, "a new connection", () -> proxy.connections() > before);
      marked.load().anew();
      Soon.until(LONG, "works again", () -> marked.load().inARow() > 1000);
      marked.check();
    }
  }

  private String uri() {
    return "redis-cluster://127.0.0.1:" + proxy.port();
  }
}
