package io.weir.redis;

import static io.weir.redis.RedisStoreTestSupport.AWAIT_TIMEOUT;
import static io.weir.redis.RedisStoreTestSupport.FAULT_DEADLINE;
import static io.weir.redis.RedisStoreTestSupport.LONG_DEADLINE;
import static io.weir.redis.RedisStoreTestSupport.budget;
import static io.weir.redis.RedisStoreTestSupport.openAndAwait;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rule.Rule;
import io.weir.rule.StoreFailureFallback;
import io.weir.testkit.Await;
import io.weir.testkit.redis.FaultProxy;
import io.weir.testkit.redis.RedisProcess;
import java.time.Duration;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Network faults: cut replies, lost bytes, another server behind an open connection. */
@Tag("slow")
class NetworkFaultTest {
  /** One second without a reply, and a margin. */
  private static final Duration RECONNECT_TIMEOUT = Duration.ofSeconds(5);

  @Test
  @DisplayName("READONLY: a replica behind an open connection fails one batch, no restart")
  void replicaBehindOpenConnection_isLeftAtOnce() {
    Rule rule = budget("a8", 1000, StoreFailureFallback.CLOSED);
    RecordingStoreListener events = new RecordingStoreListener();
    try (RedisProcess primary = RedisProcess.start();
        RedisProcess replica = RedisProcess.start("replicaof 127.0.0.1 " + primary.port());
        FaultProxy proxy = FaultProxy.to(primary.port());
        RedisStore store =
            openAndAwait(RedisStore.at(uri(proxy)).deadline(LONG_DEADLINE).listener(events))) {
      Await.until(
          AWAIT_TIMEOUT,
          "a replica in sync",
          () ->
              String.valueOf(replica.command("INFO", "replication"))
                  .contains("master_link_status:up"));
      assertThat(RedisStoreTestSupport.countAdmitted(store, rule, "x", 10)).isEqualTo(10);
      int connections = proxy.acceptedConnections();

      proxy.switchBackend(replica.port());
      assertThat(RedisStoreTestSupport.take(store, rule, "x", 1).degraded()).isTrue();
      assertThat(store.health().available()).as("still connected").isFalse();
      assertThat(events.failureKinds).hasSize(1);
      Await.until(
          AWAIT_TIMEOUT, "another connection", () -> proxy.acceptedConnections() > connections);

      proxy.switchBackend(primary.port());
      Await.until(
          AWAIT_TIMEOUT,
          "works again",
          () -> !RedisStoreTestSupport.peek(store, rule, "x").degraded());
      assertThat(RedisStoreTestSupport.usedPermits(store, rule, "x")).isEqualTo(10);
      assertThat(RedisStoreTestSupport.countAdmitted(store, rule, "x", 1000)).isEqualTo(990);
    }
  }

  @Test
  @DisplayName("reply cut after any number of bytes: a new connection, no reply is mistaken")
  void cutReply_isNeverMistaken() {
    try (NetworkFaultFixture fixture = new NetworkFaultFixture()) {
      for (int bytes = 0; bytes < 120; bytes += 7) {
        int cut = bytes;
        fixture.assertReconnectsAfter("a cut after " + bytes, proxy -> proxy.cutAfter(cut));
      }
      fixture.callers.stopAndVerify();
    }
  }

  @Test
  @DisplayName("bytes lost on an open connection: a new connection, no reply is mistaken")
  void lostBytes_closeConnection() {
    try (NetworkFaultFixture fixture = new NetworkFaultFixture()) {
      for (int bytes : new int[] {1, 2, 3, 4, 5, 7, 9, 13, 18, 25, 36, 60, 200}) {
        fixture.assertReconnectsAfter(bytes + " bytes lost", proxy -> proxy.dropBytes(bytes));
      }
      fixture.callers.stopAndVerify();
    }
  }

  /** Inserts what may be left of a reply whose beginning is lost, and what stalls the driver. */
  @ParameterizedTest(name = "{0} on an open connection: a new connection, no reply is mistaken")
  @CsvSource({
    "an unterminated line, '+a\n'",
    "the beginning of a long string, '$1000000\r\n'",
    "the beginning of a long array, '*1000\r\n'",
    "the beginning of a push message, '>3\r\n$1\r\na\r\n'",
    "a null reply, '$-1\r\n'",
    "an empty string, '$0\r\n\r\n'",
    "a number, ':1\r\n'",
    "a simple string, '+OK\r\n'",
    "an unreadable error, '-\1\2\r\n'",
    "an error, '-ERR stray\r\n'",
  })
  void insertedReply_closesConnection(String description, String bytes) {
    try (NetworkFaultFixture fixture = new NetworkFaultFixture()) {
      fixture.assertReconnectsAfter(description, proxy -> proxy.insertBeforeReply(bytes));
      fixture.callers.stopAndVerify();
    }
  }

  /** Replies stay in step afterwards, so that only the reply itself reveals the fault. */
  @ParameterizedTest(name = "{0} instead of a reply: a new connection")
  @CsvSource({
    "a null reply, '$-1\r\n'",
    "a RESP3 null, '_\r\n'",
    "a string, '$3\r\nabc\r\n'",
    "a number, ':1\r\n'",
    "a double, ',1.5\r\n'",
    "a boolean, '#t\r\n'",
    "an array, '*2\r\n$1\r\na\r\n:1\r\n'",
    "an unreadable error, '-\1\2\r\n'",
  })
  void replacedReply_closesConnection(String description, String bytes) {
    Rule rule = budget("a12", 10_000, StoreFailureFallback.CLOSED);
    try (RedisProcess redis = RedisProcess.start();
        FaultProxy proxy = FaultProxy.to(redis.port());
        RedisStore store = openAndAwait(RedisStore.at(uri(proxy)).deadline(LONG_DEADLINE))) {
      int before = proxy.acceptedConnections();
      Await.until(
          AWAIT_TIMEOUT,
          "a lost reply", // and not the reply to one of the store's own periodic commands
          () -> {
            proxy.replaceReply(bytes);
            return RedisStoreTestSupport.peek(store, rule, "x").degraded();
          });
      Await.until(
          RECONNECT_TIMEOUT, "a new connection", () -> proxy.acceptedConnections() > before);
      Await.until(
          AWAIT_TIMEOUT,
          "works again",
          () -> !RedisStoreTestSupport.peek(store, rule, "x").degraded());
    }
  }

  @ParameterizedTest(name = "a silent connection is given up; with requests: {0}")
  @ValueSource(booleans = {true, false})
  void silentConnection_isGivenUp(boolean asked) {
    Rule rule = budget("a12", 10_000, StoreFailureFallback.CLOSED);
    try (RedisProcess redis = RedisProcess.start();
        FaultProxy proxy = FaultProxy.to(redis.port());
        RedisStore store = openAndAwait(RedisStore.at(uri(proxy)).deadline(FAULT_DEADLINE))) {
      assertThat(RedisStoreTestSupport.usedPermits(store, rule, "x")).isZero();
      int before = proxy.acceptedConnections();
      proxy.blackholeOpenConnections();
      Await.until(
          RECONNECT_TIMEOUT,
          "given up",
          () -> {
            boolean answered = asked && !RedisStoreTestSupport.peek(store, rule, "x").degraded();
            boolean reconnected = proxy.acceptedConnections() > before;
            assertThat(answered && !reconnected).as("reply over a dead connection").isFalse();
            return reconnected;
          });
      Await.until(
          AWAIT_TIMEOUT,
          "works again",
          () -> !RedisStoreTestSupport.peek(store, rule, "x").degraded());
    }
  }

  /** A server, a store, distinguishable callers, and a proxy that injects faults in between. */
  private static final class NetworkFaultFixture implements AutoCloseable {
    private final RedisProcess redis = RedisProcess.start();
    private final FaultProxy proxy = FaultProxy.to(redis.port());
    private final RedisStore store =
        openAndAwait(RedisStore.at(uri(proxy)).deadline(FAULT_DEADLINE));
    final DistinguishableCallers callers = DistinguishableCallers.start(store, 16);

    NetworkFaultFixture() {
      callers.awaitSteadyLoad();
    }

    /** Injects a fault and checks that the callers are served over a new connection. */
    void assertReconnectsAfter(String description, Consumer<FaultProxy> fault) {
      int before = proxy.acceptedConnections();
      fault.accept(proxy);
      Await.until(
          RECONNECT_TIMEOUT,
          "a new connection after " + description,
          () -> proxy.acceptedConnections() > before);
      callers.loadGenerator().resetAnsweredInARow();
      Await.until(
          AWAIT_TIMEOUT,
          "works again after " + description,
          () -> callers.loadGenerator().answeredInARow() > 30 && proxy.openConnections() == 1);
    }

    @Override
    public void close() {
      callers.close();
      store.close();
      proxy.close();
      redis.close();
    }
  }

  private static String uri(FaultProxy proxy) {
    return "redis://127.0.0.1:" + proxy.port();
  }
}
