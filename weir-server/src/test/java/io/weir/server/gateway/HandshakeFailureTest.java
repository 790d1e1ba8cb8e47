package io.weir.server.gateway;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.server.Running;
import io.weir.testkit.Soon;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The time-outs and failures of answers hold for plain requests and for WebSocket handshakes. */
@Tag("slow")
class HandshakeFailureTest {
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
  private static final String DECLINED = "HTTP/1.1 403 Forbidden\r\n";
  private static final Duration LONG = Duration.ofSeconds(30);

  @TempDir Path folder;

  private final CountDownLatch end = new CountDownLatch(1);

  private Running gateway(Recorder up, String... flags) {
    String[] all = new String[flags.length + 2];
    System.arraycopy(flags, 0, all, 2, flags.length);
    all[0] = "upstream";
    all[1] = up.url();
    return Gateways.start(folder, ProxyTest.NO_RULES, all);
  }

  /** An upstream that declines with a part of an answer, and then says nothing more. */
  private Recorder stopsAfter(String part) {
    return Recorder.with(
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
  void upstreamIsSilentBeforeItsAnswer_504(String request) {
    try (Recorder up = stopsAfter("");
        Running server = gateway(up, "gateway-upstream-timeout", "1s")) {
      assertThat(Wire.ask(server.port("gateway"), request)).startsWith("HTTP/1.1 504");
      end.countDown();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {GET, HANDSHAKE})
  void upstreamIsSilentWithinItsAnswer_callerIsCut(String request) {
    try (Recorder up = stopsAfter(DECLINED + "Content-Length: 10\r\n\r\nabc");
        Running server = gateway(up, "gateway-upstream-timeout", "1s", "idle-timeout", "10m");
        Wire wire = Wire.to(server.port("gateway")).send(request)) {
      assertThat(wire.rest()).startsWith("HTTP/1.1 403").endsWith("\r\n\r\nabc");
      end.countDown();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {GET, HANDSHAKE})
  void upstreamEndsWithinItsAnswer_callerIsCut(String request) {
    try (Recorder up =
            Recorder.with(
                (head, in, out) -> {
                  out.write((DECLINED + "Content-Length: 10\r\n\r\nabc").getBytes(ISO_8859_1));
                  return false;
                });
        Running server = gateway(up);
        Wire wire = Wire.to(server.port("gateway")).send(request)) {
      assertThat(wire.rest()).startsWith("HTTP/1.1 403").endsWith("\r\n\r\nabc");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {GET, HANDSHAKE})
  void upstreamAnswersNonsense_502(String request) {
    for (String nonsense :
        new String[] {
          "nonsense\r\n\r\n",
          "HTTP/1.1 199 Odd\r\n\r\n",
          "HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\nConnection: Upgrade\r\n\r\n",
        }) {
      try (Recorder up =
              Recorder.with(
                  (head, in, out) -> {
                    out.write(nonsense.getBytes(ISO_8859_1));
                    return false;
                  });
          Running server = gateway(up)) {
        assertThat(Wire.ask(server.port("gateway"), request))
            .as(nonsense)
            .startsWith("HTTP/1.1 502");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {GET, HANDSHAKE})
  void callerDoesNotReadTheAnswer_upstreamIsReleased(String request) {
    CountDownLatch released = new CountDownLatch(1);
    try (Recorder up = endless(released);
        Running server = gateway(up, "request-timeout", "1s");
        Wire wire = Wire.to(server.port("gateway"))) {
      wire.send(request);
      Soon.until(LONG, "the upstream is released", () -> released.getCount() == 0);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {GET, HANDSHAKE})
  void callerLeavesWithinTheAnswer_upstreamIsReleased(String request) {
    CountDownLatch released = new CountDownLatch(1);
    try (Recorder up = endless(released);
        Running server = gateway(up)) {
      try (Wire wire = Wire.to(server.port("gateway")).send(request)) {
        assertThat(wire.head()).startsWith("HTTP/1.1 403");
      }
      Soon.until(LONG, "the upstream is released", () -> released.getCount() == 0);
    }
  }

  private static Recorder endless(CountDownLatch released) {
    return Recorder.with(
        (head, in, out) -> {
          byte[] block = new byte[65_536];
          try {
            out.write((DECLINED + "Content-Length: 1000000000\r\n\r\n").getBytes(ISO_8859_1));
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
