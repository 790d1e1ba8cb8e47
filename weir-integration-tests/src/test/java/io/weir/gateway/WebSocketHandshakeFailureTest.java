package io.weir.gateway;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.server.RunningServer;
import io.weir.testkit.Await;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Timeouts and failures of upstream responses, for requests and for WebSocket handshakes. */
@Tag("slow")
class WebSocketHandshakeFailureTest {
  private static final String GET = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
  private static final String HANDSHAKE =
      """
      GET / HTTP/1.1\r
      Host: h\r
      Upgrade: websocket\r
      Connection: Upgrade\r
      Sec-WebSocket-Version: 13\r
      Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
      \r
      """;
  private static final String FORBIDDEN_LINE = "HTTP/1.1 403 Forbidden\r\n";
  private static final Duration AWAIT_TIMEOUT = Duration.ofSeconds(30);

  @TempDir Path folder;

  private final CountDownLatch end = new CountDownLatch(1);

  private RunningServer gateway(RecordingUpstream up, String... flags) {
    String[] all = new String[flags.length + 2];
    System.arraycopy(flags, 0, all, 2, flags.length);
    all[0] = "upstream";
    all[1] = up.url();
    return GatewayTestServer.start(folder, GatewayProxyTest.NO_RULES, all);
  }

  /** An upstream that sends a part of a response and then stays silent. */
  private RecordingUpstream stopsAfter(String part) {
    return RecordingUpstream.withScript(
        (head, in, out) -> {
          out.write(part.getBytes(ISO_8859_1));
          out.flush();
          try {
            end.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          return false;
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {GET, HANDSHAKE})
  void upstreamSilentBeforeItsResponse_is504(String request) {
    try (RecordingUpstream up = stopsAfter("");
        RunningServer server = gateway(up, "gateway-upstream-timeout", "1s")) {
      assertThat(RawHttpClient.exchange(server.port("gateway"), request))
          .startsWith("HTTP/1.1 504");
      end.countDown();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {GET, HANDSHAKE})
  void upstreamSilentWithinItsResponse_closesTheCaller(String request) {
    try (RecordingUpstream up = stopsAfter(FORBIDDEN_LINE + "Content-Length: 10\r\n\r\nabc");
        RunningServer server =
            gateway(up, "gateway-upstream-timeout", "1s", "idle-timeout", "10m");
        RawHttpClient wire = RawHttpClient.connect(server.port("gateway")).send(request)) {
      assertThat(wire.readToEnd()).startsWith("HTTP/1.1 403").endsWith("\r\n\r\nabc");
      end.countDown();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {GET, HANDSHAKE})
  void upstreamClosesWithinItsResponse_closesTheCaller(String request) {
    try (RecordingUpstream up =
            RecordingUpstream.withScript(
                (head, in, out) -> {
                  out.write(
                      (FORBIDDEN_LINE + "Content-Length: 10\r\n\r\nabc").getBytes(ISO_8859_1));
                  return false;
                });
        RunningServer server = gateway(up);
        RawHttpClient wire = RawHttpClient.connect(server.port("gateway")).send(request)) {
      assertThat(wire.readToEnd()).startsWith("HTTP/1.1 403").endsWith("\r\n\r\nabc");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {GET, HANDSHAKE})
  void upstreamSendsGarbage_is502(String request) {
    for (String nonsense :
        new String[] {
          "nonsense\r\n\r\n",
          "HTTP/1.1 199 Odd\r\n\r\n",
          "HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\nConnection: Upgrade\r\n\r\n",
        }) {
      try (RecordingUpstream up =
              RecordingUpstream.withScript(
                  (head, in, out) -> {
                    out.write(nonsense.getBytes(ISO_8859_1));
                    return false;
                  });
          RunningServer server = gateway(up)) {
        assertThat(RawHttpClient.exchange(server.port("gateway"), request))
            .as(nonsense)
            .startsWith("HTTP/1.1 502");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {GET, HANDSHAKE})
  void callerDoesNotReadTheResponse_upstreamIsReleased(String request) {
    CountDownLatch released = new CountDownLatch(1);
    try (RecordingUpstream up = endless(released);
        RunningServer server = gateway(up, "request-timeout", "1s");
        RawHttpClient wire = RawHttpClient.connect(server.port("gateway"))) {
      wire.send(request);
      Await.until(AWAIT_TIMEOUT, "the upstream is released", () -> released.getCount() == 0);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {GET, HANDSHAKE})
  void callerLeavesWithinTheResponse_upstreamIsReleased(String request) {
    CountDownLatch released = new CountDownLatch(1);
    try (RecordingUpstream up = endless(released);
        RunningServer server = gateway(up)) {
      try (RawHttpClient wire = RawHttpClient.connect(server.port("gateway")).send(request)) {
        assertThat(wire.readHead()).startsWith("HTTP/1.1 403");
      }
      Await.until(AWAIT_TIMEOUT, "the upstream is released", () -> released.getCount() == 0);
    }
  }

  private static RecordingUpstream endless(CountDownLatch released) {
    return RecordingUpstream.withScript(
        (head, in, out) -> {
          byte[] block = new byte[65_536];
          try {
            out.write((FORBIDDEN_LINE + "Content-Length: 1000000000\r\n\r\n").getBytes(ISO_8859_1));
            while (true) {
              out.write(block);
            }
          } catch (IOException e) {
            released.countDown();
            return false;
          }
        });
  }
}
