package io.weir.redis;

import static io.weir.redis.RedisStoreTestSupport.AWAIT_TIMEOUT;
import static io.weir.redis.RedisStoreTestSupport.FAULT_DEADLINE;
import static io.weir.redis.RedisStoreTestSupport.LONG_DEADLINE;
import static io.weir.redis.RedisStoreTestSupport.budget;
import static io.weir.redis.RedisStoreTestSupport.claim;
import static io.weir.redis.RedisStoreTestSupport.openAndAwait;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rule.Claim;
import io.weir.rule.Rule;
import io.weir.rule.StoreFailureFallback;
import io.weir.store.StoreOperation;
import io.weir.testkit.Await;
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
class ClusterNetworkFaultTest {
  private static final int CALLERS = 16;

  /** A second without an answer, half a one between tries, and time for the machine to notice. */
  private static final Duration RECOVERY_TIMEOUT = Duration.ofSeconds(5);

  private RedisProcess node;
  private FaultProxy proxy;
  private RedisStore store;

  @BeforeEach
  void start() {
    node = RedisProcess.start("cluster-enabled yes");
    proxy = FaultProxy.to(node.port());
    node.command("CONFIG", "SET", "cluster-announce-port", Integer.toString(proxy.port()));
    node.command("CLUSTER", "ADDSLOTSRANGE", "0", "16383");
    Await.until(
        AWAIT_TIMEOUT,
        "a cluster",
        () -> String.valueOf(node.command("CLUSTER", "INFO")).contains("cluster_state:ok"));
    store = openAndAwait(RedisStore.at(uri()).deadline(FAULT_DEADLINE));
  }

  @AfterEach
  void stop() {
    store.close();
    proxy.close();
    node.close();
  }

  @Test
  @DisplayName("A12 in a cluster, a connection without a sound is given up")
  void silentConnection_isGivenUp() {
    try (DistinguishableCallers marked = DistinguishableCallers.start(store, CALLERS)) {
      marked.awaitSteadyLoad();
      proxy.blackholeOpenConnections();
      Await.until(AWAIT_TIMEOUT, "signals", () -> !store.health().available());
      marked.loadGenerator().resetAnsweredInARow();
      Await.until(
          RECOVERY_TIMEOUT, "works again", () -> marked.loadGenerator().answeredInARow() > 100);
      marked.stopAndVerify();
    }
  }

  @Test
  @DisplayName("A12 in a cluster, a node that cannot be reached for long is tried often")
  void longUnreachableNode_isRetriedOften() {
    try (DistinguishableCallers marked = DistinguishableCallers.start(store, CALLERS)) {
      marked.awaitSteadyLoad();
      proxy.blackhole(true);
      Await.sleep(Duration.ofSeconds(8));
      assertThat(store.health().available()).isFalse();
      proxy.blackhole(false);
      marked.loadGenerator().resetAnsweredInARow();
      Await.until(
          RECOVERY_TIMEOUT, "works again", () -> marked.loadGenerator().answeredInARow() > 100);
      marked.stopAndVerify();
    }
  }

  @Test
  @DisplayName("A12 in a cluster, what was sent over a connection that broke is not sent again")
  void callOnBrokenConnection_isNotSentAgain() {
    Rule rule = budget("once", 10, StoreFailureFallback.CLOSED);
    assertThat(RedisStoreTestSupport.usedPermits(store, rule, "x")).isZero();
    long before = RedisStoreTestSupport.decisionCalls(node);
    proxy.holdReplies(true);
    var answer = store.apply(new Claim[] {claim(store, rule, "x", 1)}, StoreOperation.TAKE);
    Await.until(
        AWAIT_TIMEOUT, "the charge", () -> RedisStoreTestSupport.decisionCalls(node) > before);
    proxy.refuseConnections(true);
    proxy.refuseConnections(false);
    proxy.holdReplies(false);
    assertThat(answer.join()[0].degraded()).isTrue();
    Await.until(
        AWAIT_TIMEOUT,
        "works again",
        () -> !RedisStoreTestSupport.peek(store, rule, "x").degraded());
    assertThat(RedisStoreTestSupport.usedPermits(store, rule, "x")).isEqualTo(1);
  }

  @Test
  @DisplayName("A12 in a cluster, a call over a connection that broke fails at once")
  void callOnBrokenConnection_failsAtOnce() {
    Rule rule = budget("broken", 10, StoreFailureFallback.CLOSED);
    try (RedisStore patient = openAndAwait(RedisStore.at(uri()).deadline(LONG_DEADLINE))) {
      assertThat(RedisStoreTestSupport.usedPermits(patient, rule, "x")).isZero();
      proxy.refuseConnections(true);
      long began = RedisLoadGenerator.nowMicros();
      for (int i = 0; i < 10; i++) {
        assertThat(RedisStoreTestSupport.take(patient, rule, "x", 1).degraded()).isTrue();
      }
      assertThat(RedisLoadGenerator.nowMicros() - began).isLessThan(LONG_DEADLINE.toNanos() / 2000);
    }
  }

  @ParameterizedTest(name = "A12 {0} on the way to a node: no answer mistaken")
  @CsvSource({
    "a line without an end, '+a\n'",
    "nothing, '$-1\r\n'",
    "an error, '-ERR stray\r\n'",
  })
  void insertedReply_isNeverTakenForAnAnswer(String what, String bytes) {
    try (DistinguishableCallers marked = DistinguishableCallers.start(store, CALLERS)) {
      marked.awaitSteadyLoad();
      int before = proxy.acceptedConnections();
      proxy.insertBeforeReply(bytes);
      Await.until(AWAIT_TIMEOUT, "a new connection", () -> proxy.acceptedConnections() > before);
      marked.loadGenerator().resetAnsweredInARow();
      Await.until(
          AWAIT_TIMEOUT, "works again", () -> marked.loadGenerator().answeredInARow() > 1000);
      marked.stopAndVerify();
    }
  }

  private String uri() {
    return "redis-cluster://127.0.0.1:" + proxy.port();
  }
}
