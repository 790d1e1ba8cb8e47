package io.weir.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.server.RunningServer;
import io.weir.testkit.Await;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Callers that hold connections open and send almost nothing (slowloris), on every listener. */
@Tag("slow")
class SlowClientTest {
  private static final String GET = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
  private static final Duration AWAIT_TIMEOUT = Duration.ofSeconds(60);

  @TempDir Path folder;

  private RunningServer server(RecordingUpstream up, String... flags) {
    String[] all = new String[flags.length + 6];
    System.arraycopy(flags, 0, all, 6, flags.length);
    all[0] = "upstream";
    all[1] = up.url();
    all[2] = "request-timeout";
    all[3] = "1s";
    all[4] = "admin-port";
    all[5] = "0";
    return GatewayTestServer.start(folder, GatewayProxyTest.NO_RULES, all);
  }

  /** Sends single bytes until the server closes the connection. */
  private static void trickle(RawHttpClient wire, String what) {
    Await.until(
        AWAIT_TIMEOUT,
        what,
        () -> {
          try {
            wire.send("x");
            Await.sleep(Duration.ofMillis(100));
            return false;
          } catch (UncheckedIOException e) {
            return true;
          }
        });
  }

  @Test
  void slowRequestHead_isClosedByEveryListener() {
    try (RecordingUpstream up = RecordingUpstream.answering(RecordingUpstream.OK_RESPONSE);
        RunningServer server = server(up)) {
      for (String listener : List.of("gateway", "http", "admin")) {
        try (RawHttpClient wire = RawHttpClient.connect(server.port(listener))) {
          wire.send("GET / HTTP/1.1\r\nHost: h\r\nX-Slow: ");
          trickle(wire, listener + " closes the connection");
        }
      }
      assertThat(up.requestHeads()).isEmpty();
    }
  }

  @Test
  void slowSecondRequestHead_isClosed() {
    try (RecordingUpstream up = RecordingUpstream.answering(RecordingUpstream.OK_RESPONSE);
        RunningServer server = server(up);
        RawHttpClient wire = RawHttpClient.connect(server.port("gateway"))) {
      assertThat(wire.send(GET).readResponse()).startsWith("HTTP/1.1 200");
      Await.sleep(Duration.ofMillis(1_500));
      assertThat(wire.send(GET).readResponse())
          .as("idle between requests")
          .startsWith("HTTP/1.1 200");
      wire.send("GET /2 HTTP/1.1\r\n");
      trickle(wire, "the connection is closed");
      assertThat(up.requestHeads()).hasSize(2);
    }
  }

  @Test
  void silentConnections_countTowardsTheLimitAndAreClosed() {
    try (RecordingUpstream up = RecordingUpstream.answering(RecordingUpstream.OK_RESPONSE);
        RunningServer server = server(up, "max-connections", "5")) {
      int port = server.port("gateway");
      List<RawHttpClient> silent = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        silent.add(RawHttpClient.connect(port));
      }
      try (RawHttpClient sixth = RawHttpClient.connect(port)) {
        assertThat(sixth.isClosed()).isTrue();
      }
      assertThat(silent).allMatch(RawHttpClient::isClosed);
      Await.until(AWAIT_TIMEOUT, "connections are accepted again", () -> isAnswered(port));
    }
  }

  private static boolean isAnswered(int port) {
    try {
      return RawHttpClient.exchange(port, GET).startsWith("HTTP/1.1 200");
    } catch (UncheckedIOException e) {
      return false;
    }
  }

  @Test
  void manySlowClients_doNotDelayOthers() {
    try (RecordingUpstream up = RecordingUpstream.answering(RecordingUpstream.OK_RESPONSE);
        RunningServer server = server(up)) {
      int port = server.port("gateway");
      List<RawHttpClient> slow = new ArrayList<>();
      for (int i = 0; i < 300; i++) {
        slow.add(
            RawHttpClient.connect(port)
                .send(
                    i % 2 == 0
                        ? "GET / HTTP/1.1\r\nX: "
                        : "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 99999\r\n\r\nab"));
      }
      for (int i = 0; i < 50; i++) {
        assertThat(RawHttpClient.exchange(port, GET)).startsWith("HTTP/1.1 200");
      }
      assertThat(slow).allMatch(RawHttpClient::isClosed);
    }
  }

  @Test
  void rapidReset_closesTheConnectionOnly() {
    try (RecordingUpstream up = RecordingUpstream.answering(RecordingUpstream.OK_RESPONSE);
        RunningServer server = server(up);
        RawHttp2Client caller = RawHttp2Client.connect(server.port("gateway"))) {
      for (int i = 0; i < 1_000 && !caller.isBroken(); i++) {
        caller.sendGet(2 * i + 1, "/", "x", "y").reset(2 * i + 1);
      }
      assertThat(caller.isEndedByPeer()).isTrue();
      assertThat(RawHttpClient.exchange(server.port("gateway"), GET)).startsWith("HTTP/1.1 200");
    }
  }
}
