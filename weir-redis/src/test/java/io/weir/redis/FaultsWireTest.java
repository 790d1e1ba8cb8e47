package io.weir.redis;

import static io.weir.redis.Asking.D;
import static io.weir.redis.Asking.LONG;
import static io.weir.redis.Asking.PATIENT;
import static io.weir.redis.Asking.budget;
import static io.weir.redis.Asking.joined;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rule.Posture;
import io.weir.rule.Rule;
import io.weir.testkit.Soon;
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
class FaultsWireTest {
  /** A second without an answer, and time for the machine to notice. */
  private static final Duration GIVEN_UP = Duration.ofSeconds(5);

  @Test
  @DisplayName("A8 READONLY: a replica behind open sockets fails one batch, and no restart")
  void a8_aReplicaInItsPlace() {
    Rule rule = budget("a8", 1000, Posture.CLOSED);
    Heard heard = new Heard();
    try (RedisProcess primary = RedisProcess.start();
        RedisProcess replica = RedisProcess.start("replicaof 127.0.0.1 " + primary.port());
        FaultProxy proxy = FaultProxy.to(primary.port());
        RedisStore store = joined(RedisStore.at(uri(proxy)).deadline(PATIENT).listener(heard))) {
      Soon.until(
          LONG,
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
      Soon.until(LONG, "another connection", () -> proxy.connections() > connections);

      proxy.swap(primary.port());
      Soon.until(LONG, "works again", () -> !Asking.peek(store, rule, "x").degraded());
      assertThat(Asking.used(store, rule, "x")).isEqualTo(10);
      assertThat(Asking.admitted(store, rule, "x", 1000)).isEqualTo(990);
    }
  }

  @Test
  @DisplayName("A12 reply cut after any number of bytes: a new connection, no answer mistaken")
  void a12_cut() {
    try (Wire wire = new Wire()) {
      for (int bytes = 0; bytes < 120; bytes += 7) {
        int cut = bytes;
        wire.survives("a cut after " + bytes, proxy -> proxy.cutAfter(cut));
      }
      wire.marked.check();
    }
  }

  @Test
  @DisplayName("A12 bytes lost on an open connection: a new connection, no answer mistaken")
  void a12_skipped() {
    try (Wire wire = new Wire()) {
      for (int bytes : new int[] {1, 2, 3, 4, 5, 7, 9, 13, 18, 25, 36, 60, 200}) {
        wire.survives(bytes + " bytes lost", proxy -> proxy.skip(bytes));
      }
      wire.marked.check();
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
  void a12_inserted(String what, String bytes) {
    try (Wire wire = new Wire()) {
      wire.survives(what, proxy -> proxy.insert(bytes));
      wire.marked.check();
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
  void a12_replaced(String what, String bytes) {
    Rule rule = budget("a12", 10_000, Posture.CLOSED);
    try (RedisProcess redis = RedisProcess.start();
        FaultProxy proxy = FaultProxy.to(redis.port());
        RedisStore store = joined(RedisStore.at(uri(proxy)).deadline(PATIENT))) {
      int before = proxy.connections();
      Soon.until(
          LONG,
          "an answer lost", // not the answer to something the store asks by itself
          () -> {
            proxy.replace(bytes);
            return Asking.peek(store, rule, "x").degraded();
          });
      Soon.until(GIVEN_UP, "a new connection", () -> proxy.connections() > before);
      Soon.until(LONG, "works again", () -> !Asking.peek(store, rule, "x").degraded());
    }
  }

  @ParameterizedTest(name = "A12 a connection without a sound is given up, asked: {0}")
  @ValueSource(booleans = {true, false})
  void a12_silent(boolean asked) {
    Rule rule = budget("a12", 10_000, Posture.CLOSED);
    try (RedisProcess redis = RedisProcess.start();
        FaultProxy proxy = FaultProxy.to(redis.port());
        RedisStore store = joined(RedisStore.at(uri(proxy)).deadline(D))) {
      assertThat(Asking.used(store, rule, "x")).isZero();
      int before = proxy.connections();
      proxy.strand();
      Soon.until(
          GIVEN_UP,
          "given up",
          () -> {
            boolean answered = asked && !Asking.peek(store, rule, "x").degraded();
            boolean again = proxy.connections() > before;
            assertThat(answered && !again).as("answered over a dead connection").isFalse();
            return again;
          });
      Soon.until(LONG, "works again", () -> !Asking.peek(store, rule, "x").degraded());
    }
  }

  /** A server, a store, and callers whose answers are told apart, with faults in between. */
  private static final class Wire implements AutoCloseable {
    private final RedisProcess redis = RedisProcess.start();
    private final FaultProxy proxy = FaultProxy.to(redis.port());
    private final RedisStore store = joined(RedisStore.at(uri(proxy)).deadline(D));
    final Marked marked = Marked.on(store, 16);

    Wire() {
      marked.steady();
    }

    /** It costs the connection, and the callers are served over another. */
    void survives(String what, Consumer<FaultProxy> fault) {
      int before = proxy.connections();
      fault.accept(proxy);
      Soon.until(GIVEN_UP, "a new connection after " + what, () -> proxy.connections() > before);
      marked.load().anew();
      Soon.until(
          LONG,
          "works again after " + what,
          () -> marked.load().inARow() > 30 && proxy.open() == 1);
    }

    @Override
    public void close() {
      marked.close();
      store.close();
      proxy.close();
      redis.close();
    }
  }

  private static String uri(FaultProxy proxy) {
    return "redis://127.0.0.1:" + proxy.port();
  }
}
