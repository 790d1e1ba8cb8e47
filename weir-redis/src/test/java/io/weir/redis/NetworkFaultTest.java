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

/** What the network does: replies cut, bytes lost, another server behind an open connection. */
@Tag("slow")
class NetworkFaultTest {
  /** A second without an answer, and time for the machine to notice. */
  private static final Duration RECONNECT_TIMEOUT = Duration.ofSeconds(5);

  @Test
  @DisplayName("A8 READONLY: a replica behind open sockets fails one batch, and no restart")
  void replicaBehindOpenConnection_isLeftAtOnce() {
    Rule rule = budget("a8", 1000, StoreFailureFallback.CLOSED);
    RecordingStoreListener heard = new RecordingStoreListener();
    try (RedisProcess primary = RedisProcess.start();
        RedisProcess replica = RedisProcess.start("replicaof 127.0.0.1 " + primary.port());
        FaultProxy proxy = FaultProxy.to(primary.port());
        RedisStore store =
            openAndAwait(RedisStore.at(uri(proxy)).deadline(LONG_DEADLINE).listener(heard))) {
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
      assertThat(store.health().available()).as("the connection is given up at once").isFalse();
      assertThat(heard.failureKinds).hasSize(1);
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
  @DisplayName("A12 reply cut after any number of bytes: a new connection, no answer mistaken")
  void cutReply_isNeverMistaken() {
    try (NetworkFaultFixture wire = new NetworkFaultFixture()) {
      for (int bytes = 0; bytes < 120; bytes += 7) {
        int cut = bytes;
        wire.assertReconnectsAfter("a cut after " + bytes, proxy -> proxy.cutAfter(cut));
      }
      wire.callers.stopAndVerify();
    }
  }

  @Test
  @DisplayName("A12 bytes lost on an open connection: a new connection, no answer mistaken")
  void lostBytes_closeConnection() {
    try (NetworkFaultFixture wire = new NetworkFaultFixture()) {
      for (int bytes : new int[] {1, 2, 3, 4, 5, 7, 9, 13, 18, 25, 36, 60, 200}) {
        wire.assertReconnectsAfter(bytes + " bytes lost", proxy -> proxy.dropBytes(bytes));
      }
      wire.callers.stopAndVerify();
    }
  }

  /** What may be left of an answer when its beginning is lost, and what the driver waits for. */
  @ParameterizedTest(name = "A12 {0} on an open connection: a new connection, no answer mistaken")
  @CsvSource({
    "a line without an end, '+a\n'",
    "the beginning of a long text, '$1000000\r\n'",
    "the beginning of a long list, '*1000\r\n'",
    "the beginning of news, '>3\r\n$1\r\na\r\n'",
    "nothing, '$-1\r\n'",
    "an empty text, '$0\r\n\r\n'",
    "a number, ':1\r\n'",
    "a word, '+OK\r\n'",
    "what is no error, '-\1\2\r\n'",
    "an error, '-ERR stray\r\n'",
  })
  void insertedReply_closesConnection(String what, String bytes) {
    try (NetworkFaultFixture wire = new NetworkFaultFixture()) {
      wire.assertReconnectsAfter(what, proxy -> proxy.insertBeforeReply(bytes));
      wire.callers.stopAndVerify();
    }
  }

  /** After which nothing is out of step, so that only the answer itself can tell. */
  @ParameterizedTest(name = "A12 {0} in place of an answer: a new connection")
  @CsvSource({
    "nothing, '$-1\r\n'",
    "RESP3's nothing, '_\r\n'",
    "a text, '$3\r\nabc\r\n'",
    "a number, ':1\r\n'",
    "a fraction, ',1.5\r\n'",
    "yes, '#t\r\n'",
    "a list, '*2\r\n$1\r\na\r\n:1\r\n'",
    "what is no error, '-\1\2\r\n'",
  })
  void replacedReply_closesConnection(String what, String bytes) {
    Rule rule = budget("a12", 10_000, StoreFailureFallback.CLOSED);
    try (RedisProcess redis = RedisProcess.start();
        FaultProxy proxy = FaultProxy.to(redis.port());
        RedisStore store = openAndAwait(RedisStore.at(uri(proxy)).deadline(LONG_DEADLINE))) {
      int before = proxy.acceptedConnections();
      Await.until(
          AWAIT_TIMEOUT,
          "an answer lost", // not the answer to something the store asks by itself
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

  @ParameterizedTest(name = "A12 a connection without a sound is given up, asked: {0}")
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
            boolean again = proxy.acceptedConnections() > before;
            assertThat(answered && !again).as("answered over a dead connection").isFalse();
            return again;
          });
      Await.until(
          AWAIT_TIMEOUT,
          "works again",
          () -> !RedisStoreTestSupport.peek(store, rule, "x").degraded());
    }
  }

  /** A server, a store, and callers whose answers are told apart, with faults in between. */
  private static final class NetworkFaultFixture implements AutoCloseable {
    private final RedisProcess redis = RedisProcess.start();
    private final FaultProxy proxy = FaultProxy.to(redis.port());
    private final RedisStore store =
        openAndAwait(RedisStore.at(uri(proxy)).deadline(FAULT_DEADLINE));
    final DistinguishableCallers callers = DistinguishableCallers.start(store, 16);

    NetworkFaultFixture() {
      callers.awaitSteadyLoad();
    }

    /** It costs the connection, and the callers are served over another. */
    void assertReconnectsAfter(String what, Consumer<FaultProxy> fault) {
      int before = proxy.acceptedConnections();
      fault.accept(proxy);
      Await.until(
          RECONNECT_TIMEOUT,
          "a new connection after " + what,
          () -> proxy.acceptedConnections() > before);
      callers.loadGenerator().resetAnsweredInARow();
      Await.until(
          AWAIT_TIMEOUT,
          "works again after " + what,
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
