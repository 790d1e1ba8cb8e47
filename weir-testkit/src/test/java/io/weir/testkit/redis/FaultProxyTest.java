package io.weir.testkit.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.store.Clock;
import io.weir.testkit.Soon;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Every fault of the proxy, seen from a plain socket. */
class FaultProxyTest {
  private static final String ONE = "$3\r\none\r\n";
  private static final String TWO = "$3\r\ntwo\r\n";

  private RedisProcess redis;
  private FaultProxy proxy;
  private PlainSocket client;

  @BeforeEach
  void open() throws IOException {
    redis = RedisProcess.start();
    redis.command("SET", "who", "one");
    proxy = FaultProxy.to(redis.port());
    client = new PlainSocket(proxy.port());
    assertThat(client.ask("GET who")).isEqualTo(ONE);
  }

  @AfterEach
  void close() throws IOException {
    client.close();
    proxy.close();
    redis.close();
  }

  @Test
  void swapsTheBackendUnderAnOpenConnection() throws IOException {
    try (RedisProcess other = RedisProcess.start()) {
      other.command("SET", "who", "two");
      proxy.swap(other.port());
      assertThat(client.ask("GET who")).isEqualTo(TWO);
      proxy.swap(redis.port());
      assertThat(client.ask("GET who")).isEqualTo(ONE);
    }
    assertThat(proxy.connections()).isEqualTo(1);
  }

  @Test
  void delaysReplies() throws IOException {
    Clock clock = Clock.system();
    proxy.delay(Duration.ofMillis(100));
    long start = clock.micros();
    assertThat(client.ask("GET who")).isEqualTo(ONE);
    assertThat(clock.micros() - start).isGreaterThanOrEqualTo(100_000);
    proxy.delay(Duration.ZERO);
    assertThat(client.ask("GET who")).isEqualTo(ONE);
  }

  @Test
  void keepsTheOrderWhenTheDelayEnds() throws IOException {
    proxy.delay(Duration.ofMillis(100));
    client.send("ECHO 1");
    assertThat(Soon.comes(Duration.ofSeconds(5), this::echoed)).isTrue();
    proxy.delay(Duration.ZERO);
    client.send("ECHO 2");
    assertThat(read(14)).isEqualTo("$1\r\n1\r\n$1\r\n2\r\n");
  }

  @Test
  void holdsRepliesUntilToldOtherwise() throws IOException {
    proxy.hold(true);
    assertThat(client.silent("GET who")).isTrue();
    proxy.hold(false);
    assertThat(client.read()).isEqualTo(ONE);
  }

  @Test
  void cutsOneConnectionInTheMiddleOfAReply() throws IOException {
    proxy.cutAfter(ONE.length() + 5);
    assertThat(client.ask("GET who")).isEqualTo(ONE);
    assertThat(client.ask("GET who")).isEqualTo("$3\r\no");
    assertThat(client.read()).isEqualTo(PlainSocket.END);
    try (PlainSocket next = new PlainSocket(proxy.port())) {
      assertThat(next.ask("GET who")).isEqualTo(ONE);
    }
    assertThat(proxy.connections()).isEqualTo(2);
    Soon.until(Duration.ofSeconds(5), "none open", () -> proxy.open() == 0);
  }

  @Test
  void skipsBytesAndStaysOpen() throws IOException {
    proxy.skip(ONE.length() + 4);
    assertThat(client.silent("GET who")).isTrue();
    assertThat(client.ask("GET who")).isEqualTo("one\r\n");
    assertThat(client.ask("GET who")).isEqualTo(ONE);
  }

  @Test
  void insertsBytesOnce() throws IOException {
    proxy.insert("+stray\r\n");
    client.send("GET who");
    assertThat(read(8 + ONE.length())).isEqualTo("+stray\r\n" + ONE);
    assertThat(client.ask("GET who")).isEqualTo(ONE);
  }

  @Test
  void replacesAReply() throws IOException {
    proxy.replace("+stray\r\n");
    assertThat(client.ask("GET who")).isEqualTo("+stray\r\n");
    assertThat(client.ask("GET who")).isEqualTo(ONE);
  }

  @Test
  void swallowsEverythingWhileABlackhole() throws IOException {
    proxy.blackhole(true);
    assertThat(client.silent("SET who lost")).isTrue();
    try (PlainSocket late = new PlainSocket(proxy.port())) {
      assertThat(late.silent("GET who")).isTrue();
      proxy.blackhole(false);
      assertThat(late.ask("GET who")).isEqualTo(ONE);
    }
    assertThat(client.ask("GET who")).isEqualTo(ONE);
  }

  @Test
  void strandsTheConnectionsThatAreOpen() throws IOException {
    proxy.strand();
    assertThat(client.silent("GET who")).isTrue();
    try (PlainSocket next = new PlainSocket(proxy.port())) {
      assertThat(next.ask("GET who")).isEqualTo(ONE);
    }
    redis.kill();
    assertThat(client.silent("GET who")).isTrue();
    assertThat(proxy.open()).isEqualTo(1);
  }

  @Test
  void hidesTheEndOfTheBackendWhileABlackhole() throws IOException {
    proxy.blackhole(true);
    redis.kill();
    assertThat(client.silent("PING")).isTrue();
    redis.restart();
    proxy.swap(redis.port());
    proxy.blackhole(false);
    assertThat(client.ask("PING")).isEqualTo("+PONG\r\n");
  }

  @Test
  void passesTheEndOfTheBackendOn() throws IOException {
    redis.kill();
    assertThat(client.read()).isEqualTo(PlainSocket.END);
    try (PlainSocket next = new PlainSocket(proxy.port())) {
      assertThat(next.ask("PING")).isEqualTo(PlainSocket.END);
    }
  }

  @Test
  void refusesByClosing() throws IOException {
    proxy.refuse(true);
    assertThat(client.read()).isEqualTo(PlainSocket.END);
    try (PlainSocket next = new PlainSocket(proxy.port())) {
      assertThat(next.ask("PING")).isEqualTo(PlainSocket.END);
    }
    proxy.refuse(false);
    try (PlainSocket next = new PlainSocket(proxy.port())) {
      assertThat(next.ask("PING")).isEqualTo("+PONG\r\n");
    }
    assertThat(proxy.connections()).isEqualTo(3);
  }

  @Test
  void endsConnectionsWhenClosed() throws IOException {
    proxy.close();
    assertThat(client.read()).isEqualTo(PlainSocket.END);
  }

  private String read(int bytes) throws IOException {
    StringBuilder all = new StringBuilder();
    while (all.length() < bytes) {
      all.append(client.read());
    }
    return all.toString();
  }

  private boolean echoed() {
    return String.valueOf(redis.command("INFO", "commandstats")).contains("cmdstat_echo:calls=1,");
  }
}
