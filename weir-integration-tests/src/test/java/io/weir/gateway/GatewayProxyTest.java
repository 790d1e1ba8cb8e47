package io.weir.gateway;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.rules.text.InvalidConfigurationException;
import io.weir.server.RunningServer;
import io.weir.server.StartException;
import io.weir.testkit.Await;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Forwarding of requests, bodies and responses, and routing. */
class GatewayProxyTest {
  static final String NO_RULES = "rules: []";

  @TempDir Path folder;

  private RunningServer gateway(String... flags) {
    return GatewayTestServer.start(folder, NO_RULES, flags);
  }

  private static String get(RunningServer server, String rest) {
    return RawHttpClient.exchange(server.port("gateway"), "GET " + rest + "\r\n\r\n");
  }

  @Test
  void request_reachesTheUpstreamAndItsResponseTheCaller() {
    try (RecordingUpstream up =
            RecordingUpstream.answering(
                "HTTP/1.1 201 Created\r\nX-A: b\r\nContent-Length: 2\r\n\r\nhi");
        RunningServer server = gateway("upstream", up.url())) {
      String answer = get(server, "/a/b?c=d HTTP/1.1\r\nHost: h.example\r\nX-Q: 1");
      assertThat(answer)
          .startsWith("HTTP/1.1 201 Created\r\n")
          .contains("X-A: b")
          .endsWith("\r\n\r\nhi");
      assertThat(up.requestHeads().get(0)).startsWith("GET /a/b?c=d HTTP/1.1\r\n");
      assertThat(up.lastRequestHeader("Host")).isEqualTo("h.example");
      assertThat(up.lastRequestHeader("X-Q")).isEqualTo("1");
    }
  }

  @Test
  void body_isForwardedWithItsLengthOrInChunks() {
    try (RecordingUpstream up = RecordingUpstream.answering(RecordingUpstream.OK_RESPONSE);
        RunningServer server = gateway("upstream", up.url())) {
      int port = server.port("gateway");
      assertThat(
              RawHttpClient.exchange(
                  port, "POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello"))
          .contains(" 200 ");
      assertThat(up.received()).contains("5\r\n").endsWith("\r\n\r\nhello");
      assertThat(
              RawHttpClient.exchange(
                  port,
                  RawHttpClient.crlf(
                      """
                      POST /p HTTP/1.1
                      Host: h
                      Transfer-Encoding: chunked

                      3
                      abc
                      2
                      de
                      0

                      """)))
          .contains(" 200 ");
      assertThat(up.lastRequestHeader("Transfer-Encoding")).isEqualTo("chunked");
      assertThat(up.received()).contains("abc").contains("de").endsWith("0\r\n\r\n");
    }
  }

  @Test
  void upstreamConnections_areKeptAlive() {
    try (RecordingUpstream up = RecordingUpstream.answering(RecordingUpstream.OK_RESPONSE);
        RunningServer server = gateway("upstream", up.url());
        RawHttpClient wire = RawHttpClient.connect(server.port("gateway"))) {
      for (int i = 0; i < 20; i++) {
        assertThat(wire.send("GET /" + i + " HTTP/1.1\r\nHost: h\r\n\r\n").readResponse())
            .endsWith("ok");
      }
      assertThat(up.requestHeads()).hasSize(20);
      assertThat(up.connectionCount()).isEqualTo(1);
    }
  }

  @Test
  void longResponse_isReadNoFasterThanTheCallerReads() throws IOException {
    int length = 24 << 20;
    int[] sent = new int[1];
    try (RecordingUpstream up =
            RecordingUpstream.withScript(
                (head, in, out) -> {
                  out.write(
                      ("HTTP/1.1 200 OK\r\nContent-Length: " + length + "\r\n\r\n")
                          .getBytes(ISO_8859_1));
                  byte[] block = new byte[65_536];
                  for (; sent[0] < length; sent[0] += block.length) {
                    out.write(block);
                  }
                  return true;
                });
        RunningServer server = gateway("upstream", up.url());
        RawHttpClient wire = RawHttpClient.connect(server.port("gateway"))) {
      wire.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n").readHead();
      int[] last = {-1};
      Await.until(
          Duration.ofSeconds(60),
          "the upstream is blocked",
          () -> {
            boolean same = last[0] == sent[0];
            last[0] = sent[0];
            Await.sleep(Duration.ofMillis(300));
            return same && sent[0] > 0;
          });
      assertThat(sent[0]).isLessThan(length / 2);
      assertThat(wire.socket().getInputStream().skip(length)).isEqualTo(length);
    }
  }

  @Test
  void responseTrailers_areForwarded() {
    String chunked =
        RawHttpClient.crlf(
            """
            HTTP/1.1 200 OK
            Transfer-Encoding: chunked
            Trailer: X-Sum

            3
            abc
            0
            X-Sum: 7

            """);
    try (RecordingUpstream up = RecordingUpstream.answering(chunked);
        RunningServer server = gateway("upstream", up.url());
        RawHttpClient wire = RawHttpClient.connect(server.port("gateway"))) {
      wire.send("GET / HTTP/1.1\r\nHost: h\r\nTE: trailers\r\nConnection: TE\r\n\r\n");
      assertThat(wire.readHead()).contains("X-Sum");
      assertThat(wire.readBytes("3\r\nabc\r\n0\r\nX-Sum: 7\r\n\r\n".length()))
          .endsWith("0\r\nX-Sum: 7\r\n\r\n");
      assertThat(up.lastRequestHeader("TE")).isEqualTo("trailers");
    }
  }

  @Test
  void routes_areChosenByHostAndLongestPath() {
    try (RecordingUpstream all = RecordingUpstream.answering(RecordingUpstream.OK_RESPONSE);
        RecordingUpstream orders = RecordingUpstream.answering(RecordingUpstream.OK_RESPONSE);
        RecordingUpstream shop = RecordingUpstream.answering(RecordingUpstream.OK_RESPONSE);
        RunningServer server =
            gateway(
                "upstream",
                all.url(),
                "gateway-routes",
                "/v1/orders=" + orders.url() + ",shop.example/=" + shop.url())) {
      get(server, "/v1/orders/7 HTTP/1.1\r\nHost: h");
      get(server, "//v1/%6frders HTTP/1.1\r\nHost: h");
      get(server, "/v1/ordersx HTTP/1.1\r\nHost: h");
      get(server, "/v1/orders HTTP/1.1\r\nHost: SHOP.example:80");
      assertThat(orders.requestHeads()).hasSize(2);
      assertThat(all.requestHeads()).hasSize(1);
      assertThat(shop.requestHeads()).hasSize(1);
    }
  }

  @Test
  void requestWithoutARoute_is404() {
    try (RecordingUpstream up = RecordingUpstream.answering(RecordingUpstream.OK_RESPONSE);
        RunningServer server = gateway("gateway-routes", "/only=" + up.url())) {
      assertThat(get(server, "/other HTTP/1.1\r\nHost: h"))
          .startsWith("HTTP/1.1 404")
          .contains("no_route");
      assertThat(get(server, "/only/x HTTP/1.1\r\nHost: h")).startsWith("HTTP/1.1 200");
    }
  }

  @Test
  void noUpstream_gatewayListenerIsClosed() {
    try (RunningServer server = gateway()) {
      assertThat(server.server().port("gateway")).isEmpty();
    }
  }

  @Test
  void upstreamWithAPath_failsWithOneLineMessage() {
    assertThatThrownBy(() -> gateway("upstream", "http://h:1/base"))
        .isInstanceOf(InvalidConfigurationException.class)
        .hasMessageContaining("--upstream")
        .hasMessageContaining("must be http://host:port");
    assertThatThrownBy(() -> gateway("gateway-routes", "h:80/x=http://h:1"))
        .isInstanceOf(StartException.class)
        .hasMessageContaining("the host alone");
  }

  @Test
  void headAndNoContentResponses_haveNoBody() {
    try (RecordingUpstream up =
            RecordingUpstream.withScript(
                (head, in, out) -> {
                  String status =
                      head.contains("/none") ? "204 No Content" : "200 OK\r\nContent-Length: 1000";
                  out.write(("HTTP/1.1 " + status + "\r\n\r\n").getBytes(ISO_8859_1));
                  return true;
                });
        RunningServer server = gateway("upstream", up.url());
        RawHttpClient wire = RawHttpClient.connect(server.port("gateway"))) {
      wire.send("HEAD / HTTP/1.1\r\nHost: h\r\n\r\n");
      assertThat(wire.readHead()).contains("ontent-").contains(": 1000");
      wire.send("GET /none HTTP/1.1\r\nHost: h\r\n\r\n");
      assertThat(wire.readHead()).startsWith("HTTP/1.1 204").doesNotContain("ontent-");
      wire.send("HEAD / HTTP/1.1\r\nHost: h\r\n\r\n");
      assertThat(wire.readHead()).startsWith("HTTP/1.1 200");
    }
  }

  @Test
  void http10Caller_getsAnUnchunkedResponseEndedByClose() {
    String chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
    try (RecordingUpstream up = RecordingUpstream.answering(chunked);
        RunningServer server = gateway("upstream", up.url());
        RawHttpClient wire = RawHttpClient.connect(server.port("gateway"))) {
      wire.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
      assertThat(wire.readHead()).doesNotContain("chunked");
      assertThat(wire.readToEnd()).isEqualTo("abc");
      assertThat(up.lastRequestHeader("Host")).isEqualTo("127.0.0.1:" + up.port());
    }
  }

  @Test
  void requestExpectingContinue_isContinued() {
    try (RecordingUpstream up = RecordingUpstream.answering(RecordingUpstream.OK_RESPONSE);
        RunningServer server = gateway("upstream", up.url());
        RawHttpClient wire = RawHttpClient.connect(server.port("gateway"))) {
      wire.send("POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
      assertThat(wire.readHead()).startsWith("HTTP/1.1 100");
      assertThat(wire.send("abc").readResponse()).startsWith("HTTP/1.1 200");
      assertThat(up.lastRequestHeader("Expect")).isEmpty();
    }
  }
}
