package io.weir.redis;

import static io.weir.redis.RedisStoreTestSupport.AWAIT_TIMEOUT;
import static io.weir.redis.RedisStoreTestSupport.FAULT_DEADLINE;
import static io.weir.redis.RedisStoreTestSupport.LONG_DEADLINE;
import static io.weir.redis.RedisStoreTestSupport.budget;
import static io.weir.redis.RedisStoreTestSupport.claim;
import static io.weir.redis.RedisStoreTestSupport.openAndAwait;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.internal.rule.Claim;
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

/** Network faults between a store and a node of a cluster, here its only one. */
@Tag("slow")
class ClusterNetworkFaultTest {
  private static final int CALLERS = 16;

  /** One second without a reply, half a second between attempts, and a margin. */
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
  @DisplayName("in a cluster, a silent connection is given up")
  void silentConnection_isGivenUp() {
    try (DistinguishableCallers callers = DistinguishableCallers.start(store, CALLERS)) {
      callers.awaitSteadyLoad();
      proxy.blackholeOpenConnections();
      Await.until(AWAIT_TIMEOUT, "signals", () -> !store.health().available());
      callers.loadGenerator().resetAnsweredInARow();
      Await.until(
          RECOVERY_TIMEOUT, "works again", () -> callers.loadGenerator().answeredInARow() > 100);
      callers.stopAndVerify();
    }
  }

  @Test
  @DisplayName("in a cluster, a node that is unreachable for long is retried often")
  void longUnreachableNode_isRetriedOften() {
    try (DistinguishableCallers callers = DistinguishableCallers.start(store, CALLERS)) {
      callers.awaitSteadyLoad();
      proxy.blackhole(true);
      Await.sleep(Duration.ofSeconds(8));
      assertThat(store.health().available()).isFalse();
      proxy.blackhole(false);
      callers.loadGenerator().resetAnsweredInARow();
      Await.until(
          RECOVERY_TIMEOUT, "works again", () -> callers.loadGenerator().answeredInARow() > 100);
      callers.stopAndVerify();
    }
  }

  @Test
  @DisplayName("in a cluster, a call on a broken connection is not sent again")
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
  @DisplayName("in a cluster, a call on a broken connection fails at once")
  void callOnBrokenConnection_failsAtOnce() {
    Rule rule = budget("broken", 10, StoreFailureFallback.CLOSED);
    try (RedisStore longDeadlineStore =
        openAndAwait(RedisStore.at(uri()).deadline(LONG_DEADLINE))) {
      assertThat(RedisStoreTestSupport.usedPermits(longDeadlineStore, rule, "x")).isZero();
      proxy.refuseConnections(true);
      long startMicros = RedisLoadGenerator.nowMicros();
      for (int i = 0; i < 10; i++) {
        assertThat(RedisStoreTestSupport.take(longDeadlineStore, rule, "x", 1).degraded()).isTrue();
      }
      assertThat(RedisLoadGenerator.nowMicros() - startMicros)
          .isLessThan(LONG_DEADLINE.toNanos() / 2000);
    }
  }

  @ParameterizedTest(name = "{0} inserted before a reply of a node: no reply is mistaken")
  @CsvSource({
    "an unterminated line, '+a\n'",
    "a null reply, '$-1\r\n'",
    "an error, '-ERR stray\r\n'",
  })
  void insertedReply_isNeverTakenForAnAnswer(String description, String bytes) {
    try (DistinguishableCallers callers = DistinguishableCallers.start(store, CALLERS)) {
      callers.awaitSteadyLoad();
      int before = proxy.acceptedConnections();
      proxy.insertBeforeReply(bytes);
      Await.until(AWAIT_TIMEOUT, "a new connection", () -> proxy.acceptedConnections() > before);
      callers.loadGenerator().resetAnsweredInARow();
      Await.until(
          AWAIT_TIMEOUT, "works again", () -> callers.loadGenerator().answeredInARow() > 1000);
      callers.stopAndVerify();
    }
  }

  private String uri() {
    return "redis-cluster://127.0.0.1:" + proxy.port();
  }
}
