package io.weir.testkit.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.store.Clock;
import io.weir.testkit.Await;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Every fault of the proxy, observed from a raw socket. */
class FaultProxyTest {
  private static final String REPLY_ONE = "$3\r\none\r\n";
  private static final String REPLY_TWO = "$3\r\ntwo\r\n";

  private RedisProcess redis;
  private FaultProxy proxy;
  private RawTestSocket client;

  @BeforeEach
  void openProxy() throws IOException {
    redis = RedisProcess.start();
    redis.command("SET", "who", "one");
    proxy = FaultProxy.to(redis.port());
    client = new RawTestSocket(proxy.port());
    assertThat(client.request("GET who")).isEqualTo(REPLY_ONE);
  }

  @AfterEach
  void closeProxy() throws IOException {
    client.close();
    proxy.close();
    redis.close();
  }

  @Test
  void switchedBackend_servesOpenConnection() throws IOException {
    try (RedisProcess other = RedisProcess.start()) {
      other.command("SET", "who", "two");
      proxy.switchBackend(other.port());
      assertThat(client.request("GET who")).isEqualTo(REPLY_TWO);
      proxy.switchBackend(redis.port());
      assertThat(client.request("GET who")).isEqualTo(REPLY_ONE);
    }
    assertThat(proxy.acceptedConnections()).isEqualTo(1);
  }

  @Test
  void delay_postponesReplies() throws IOException {
    Clock clock = Clock.system();
    proxy.delayReplies(Duration.ofMillis(100));
    long start = clock.micros();
    assertThat(client.request("GET who")).isEqualTo(REPLY_ONE);
    assertThat(clock.micros() - start).isGreaterThanOrEqualTo(100_000);
    proxy.delayReplies(Duration.ZERO);
    assertThat(client.request("GET who")).isEqualTo(REPLY_ONE);
  }

  @Test
  void endOfDelay_keepsOrderOfReplies() throws IOException {
    proxy.delayReplies(Duration.ofMillis(100));
    client.send("ECHO 1");
    assertThat(Await.isTrueWithin(Duration.ofSeconds(5), this::echoWasCalled)).isTrue();
    proxy.delayReplies(Duration.ZERO);
    client.send("ECHO 2");
    assertThat(read(14)).isEqualTo("$1\r\n1\r\n$1\r\n2\r\n");
  }

  @Test
  void heldReplies_arriveAfterRelease() throws IOException {
    proxy.holdReplies(true);
    assertThat(client.isSilent("GET who")).isTrue();
    proxy.holdReplies(false);
    assertThat(client.read()).isEqualTo(REPLY_ONE);
  }

  @Test
  void cut_closesOneConnectionInsideReply() throws IOException {
    proxy.cutAfter(REPLY_ONE.length() + 5);
    assertThat(client.request("GET who")).isEqualTo(REPLY_ONE);
    assertThat(client.request("GET who")).isEqualTo("$3\r\no");
    assertThat(client.read()).isEqualTo(RawTestSocket.END);
    try (RawTestSocket next = new RawTestSocket(proxy.port())) {
      assertThat(next.request("GET who")).isEqualTo(REPLY_ONE);
    }
    assertThat(proxy.acceptedConnections()).isEqualTo(2);
    Await.until(Duration.ofSeconds(5), "none open", () -> proxy.openConnections() == 0);
  }

  @Test
  void droppedBytes_leaveConnectionOpen() throws IOException {
    proxy.dropBytes(REPLY_ONE.length() + 4);
    assertThat(client.isSilent("GET who")).isTrue();
    assertThat(client.request("GET who")).isEqualTo("one\r\n");
    assertThat(client.request("GET who")).isEqualTo(REPLY_ONE);
  }

  @Test
  void insertedBytes_arriveOnce() throws IOException {
    proxy.insertBeforeReply("+stray\r\n");
    client.send("GET who");
    assertThat(read(8 + REPLY_ONE.length())).isEqualTo("+stray\r\n" + REPLY_ONE);
    assertThat(client.request("GET who")).isEqualTo(REPLY_ONE);
  }

  @Test
  void replacedReply_arrivesInsteadOfOriginal() throws IOException {
    proxy.replaceReply("+stray\r\n");
    assertThat(client.request("GET who")).isEqualTo("+stray\r\n");
    assertThat(client.request("GET who")).isEqualTo(REPLY_ONE);
  }

  @Test
  void blackhole_dropsEverything() throws IOException {
    proxy.blackhole(true);
    assertThat(client.isSilent("SET who lost")).isTrue();
    try (RawTestSocket late = new RawTestSocket(proxy.port())) {
      assertThat(late.isSilent("GET who")).isTrue();
      proxy.blackhole(false);
      assertThat(late.request("GET who")).isEqualTo(REPLY_ONE);
    }
    assertThat(client.request("GET who")).isEqualTo(REPLY_ONE);
  }

  @Test
  void blackholedOpenConnections_staySilentButOpen() throws IOException {
    proxy.blackholeOpenConnections();
    assertThat(client.isSilent("GET who")).isTrue();
    try (RawTestSocket next = new RawTestSocket(proxy.port())) {
      assertThat(next.request("GET who")).isEqualTo(REPLY_ONE);
    }
    redis.kill();
    assertThat(client.isSilent("GET who")).isTrue();
    assertThat(proxy.openConnections()).isEqualTo(1);
  }

  @Test
  void blackhole_hidesEndOfBackend() throws IOException {
    proxy.blackhole(true);
    redis.kill();
    assertThat(client.isSilent("PING")).isTrue();
    redis.restart();
    proxy.switchBackend(redis.port());
    proxy.blackhole(false);
    assertThat(client.request("PING")).isEqualTo("+PONG\r\n");
  }

  @Test
  void endOfBackend_closesConnection() throws IOException {
    redis.kill();
    assertThat(client.read()).isEqualTo(RawTestSocket.END);
    try (RawTestSocket next = new RawTestSocket(proxy.port())) {
      assertThat(next.request("PING")).isEqualTo(RawTestSocket.END);
    }
  }

  @Test
  void refusedConnections_areClosed() throws IOException {
    proxy.refuseConnections(true);
    assertThat(client.read()).isEqualTo(RawTestSocket.END);
    try (RawTestSocket next = new RawTestSocket(proxy.port())) {
      assertThat(next.request("PING")).isEqualTo(RawTestSocket.END);
    }
    proxy.refuseConnections(false);
    try (RawTestSocket next = new RawTestSocket(proxy.port())) {
      assertThat(next.request("PING")).isEqualTo("+PONG\r\n");
    }
    assertThat(proxy.acceptedConnections()).isEqualTo(3);
  }

  @Test
  void closedProxy_endsConnections() throws IOException {
    proxy.close();
    assertThat(client.read()).isEqualTo(RawTestSocket.END);
  }

  private String read(int bytes) throws IOException {
    StringBuilder all = new StringBuilder();
    while (all.length() < bytes) {
      all.append(client.read());
    }
    return all.toString();
  }

  private boolean echoWasCalled() {
    return String.valueOf(redis.command("INFO", "commandstats")).contains("cmdstat_echo:calls=1,");
  }
}
