package io.weir.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.server.RunningServer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which header fields are forwarded to an upstream, rewritten or removed. */
class HeaderForwardingTest {
  @TempDir Path folder;

  private void forward(RecordingUpstream up, String fields, String... flags) {
    String[] all = new String[flags.length + 2];
    System.arraycopy(flags, 0, all, 2, flags.length);
    all[0] = "upstream";
    all[1] = up.url();
    try (RunningServer server = GatewayTestServer.start(folder, GatewayProxyTest.NO_RULES, all)) {
      String answer =
          RawHttpClient.exchange(
              server.port("gateway"), "GET /x HTTP/1.1\r\nHost: a.example:8\r\n" + fields + "\r\n");
      assertThat(answer).startsWith("HTTP/1.1 200");
    }
  }

  @Test
  void forwardedHeadersOfUntrustedCaller_areReplaced() {
    try (RecordingUpstream up = RecordingUpstream.answering(RecordingUpstream.OK_RESPONSE)) {
      forward(
          up,
          RawHttpClient.crlf(
              """
              X-Forwarded-For: 6.6.6.6
              X_Forwarded_For: 6.6.6.6
              Forwarded: for=6.6.6.6
              X-Forwarded-Host: evil
              X-Forwarded-Proto: https
              X-Forwarded-Port: 1
              X-Real-IP: 6.6.6.6
              True-Client-IP: 6.6.6.6
              """));
      assertThat(up.received()).doesNotContain("6.6.6.6").doesNotContain("evil");
      assertThat(up.lastRequestHeader("X-Forwarded-For")).isEqualTo("127.0.0.1");
      assertThat(up.lastRequestHeader("X-Forwarded-Proto")).isEqualTo("http");
      assertThat(up.lastRequestHeader("X-Forwarded-Host")).isEqualTo("a.example:8");
      assertThat(up.lastRequestHeader("X-Forwarded-Port")).isEmpty();
      assertThat(up.lastRequestHeader("Forwarded"))
          .isEqualTo("for=127.0.0.1;proto=http;host=\"a.example:8\"");
    }
  }

  @Test
  void forwardedHeadersOfTrustedProxy_areAppendedTo() {
    try (RecordingUpstream up = RecordingUpstream.answering(RecordingUpstream.OK_RESPONSE)) {
      forward(
          up,
          RawHttpClient.crlf(
              """
              X-Forwarded-For: 6.6.6.6, 1.2.3.4
              X-Forwarded-Proto: https
              X-Forwarded-Host: shop
              X-Real-IP: 1.2.3.4
              Forwarded: for=6.6.6.6
              """),
          "identity-trusted-proxies",
          "127.0.0.0/8");
      assertThat(up.lastRequestHeader("X-Forwarded-For")).isEqualTo("6.6.6.6, 1.2.3.4, 127.0.0.1");
      assertThat(up.lastRequestHeader("X-Forwarded-Proto")).isEqualTo("https");
      assertThat(up.lastRequestHeader("X-Forwarded-Host")).isEqualTo("shop");
      assertThat(up.lastRequestHeader("X-Real-IP")).isEqualTo("1.2.3.4");
      assertThat(up.lastRequestHeader("Forwarded"))
          .as("not the field that trusted proxies write")
          .startsWith("for=1.2.3.4;");
    }
  }

  @Test
  void forwardedHeaderIsConfigured_isAppendedTo() {
    try (RecordingUpstream up = RecordingUpstream.answering(RecordingUpstream.OK_RESPONSE)) {
      forward(
          up,
          "Forwarded: for=\"[2001:db8::1]:80\"\r\nX-Forwarded-For: 6.6.6.6\r\n",
          "identity-trusted-proxies",
          "127.0.0.1",
          "identity-forwarded-header",
          "Forwarded");
      assertThat(up.lastRequestHeader("Forwarded"))
          .isEqualTo("for=\"[2001:db8::1]:80\", for=127.0.0.1;proto=http;host=\"a.example:8\"");
      assertThat(up.lastRequestHeader("X-Forwarded-For")).isEqualTo("2001:db8::1");
    }
  }

  @Test
  void connectionOptions_cannotRemoveGatewayHeaders() {
    try (RecordingUpstream up = RecordingUpstream.answering(RecordingUpstream.OK_RESPONSE)) {
      forward(
          up,
          RawHttpClient.crlf(
              """
              Connection: close, X-Forwarded-For, Forwarded, X-Forwarded-Proto, Host, Via, X-Mine
              X-Mine: 1
              """));
      assertThat(up.lastRequestHeader("X-Forwarded-For")).isEqualTo("127.0.0.1");
      assertThat(up.lastRequestHeader("X-Forwarded-Proto")).isEqualTo("http");
      assertThat(up.lastRequestHeader("Forwarded")).startsWith("for=127.0.0.1");
      assertThat(up.lastRequestHeader("Host")).isEqualTo("a.example:8");
      assertThat(up.lastRequestHeader("Via")).isEqualTo("1.1 weir-test");
      assertThat(up.lastRequestHeader("X-Mine")).isEmpty();
    }
  }

  @Test
  void hopByHopHeaders_areNotForwarded() {
    String answer =
        RawHttpClient.crlf(
            """
            HTTP/1.1 200 OK
            Content-Length: 2
            Connection: X-Hop
            X-Hop: 1
            Keep-Alive: timeout=5
            Proxy-Authenticate: x
            Upgrade: h2c
            X-End: 1

            ok""");
    try (RecordingUpstream up = RecordingUpstream.answering(answer);
        RunningServer server =
            GatewayTestServer.start(folder, GatewayProxyTest.NO_RULES, "upstream", up.url())) {
      String got =
          RawHttpClient.exchange(
              server.port("gateway"),
              RawHttpClient.crlf(
                  """
                  GET / HTTP/1.1
                  Host: h
                  Keep-Alive: 1
                  Proxy-Connection: x
                  TE: gzip
                  Proxy-Authorization: secret
                  Upgrade: foo
                  Connection: Upgrade
                  HTTP2-Settings: AA
                  X-Keep: 1

                  """));
      assertThat(got).contains("X-End: 1");
      assertThat(got).doesNotContain("X-Hop").doesNotContain("Keep-Alive").doesNotContain("pgrade");
      assertThat(got).doesNotContain("Proxy-Authenticate");
      for (String name :
          new String[] {
            "Keep-Alive",
            "Proxy-Connection",
            "TE",
            "Proxy-Authorization",
            "Upgrade",
            "Connection",
            "HTTP2-Settings"
          }) {
        assertThat(up.lastRequestHeader(name)).as(name).isEmpty();
      }
      assertThat(up.lastRequestHeader("X-Keep")).isEqualTo("1");
    }
  }

  @Test
  void methodAndPathOverrideHeaders_areRemoved() {
    try (RecordingUpstream up = RecordingUpstream.answering(RecordingUpstream.OK_RESPONSE)) {
      forward(
          up,
          RawHttpClient.crlf(
              """
              X-HTTP-Method-Override: DELETE
              X-HTTP-Method: DELETE
              X_Http_Method_Override: DELETE
              X-Original-URL: /admin
              X-Rewrite-URL: /admin
              """));
      assertThat(up.received()).doesNotContain("DELETE").doesNotContain("admin");
    }
  }

  @Test
  void absoluteTarget_overridesTheHostHeader() {
    try (RecordingUpstream up = RecordingUpstream.answering(RecordingUpstream.OK_RESPONSE);
        RunningServer server =
            GatewayTestServer.start(folder, GatewayProxyTest.NO_RULES, "upstream", up.url())) {
      RawHttpClient.exchange(
          server.port("gateway"), "GET http://b.example/y HTTP/1.1\r\nHost: a.example\r\n\r\n");
      assertThat(up.requestHeads().get(0)).startsWith("GET /y HTTP/1.1\r\n");
      assertThat(up.lastRequestHeader("Host")).isEqualTo("b.example");
    }
  }

  @Test
  void keepHostIsFalse_upstreamGetsItsOwnHost() {
    try (RecordingUpstream up = RecordingUpstream.answering(RecordingUpstream.OK_RESPONSE)) {
      forward(up, "", "gateway-keep-host", "false");
      assertThat(up.lastRequestHeader("Host")).isEqualTo("127.0.0.1:" + up.port());
      assertThat(up.lastRequestHeader("X-Forwarded-Host")).isEqualTo("a.example:8");
    }
  }

  @Test
  void requestLoop_isAnswered508() {
    try (RecordingUpstream up = RecordingUpstream.answering(RecordingUpstream.OK_RESPONSE);
        RunningServer server =
            GatewayTestServer.start(folder, GatewayProxyTest.NO_RULES, "upstream", up.url())) {
      String answer =
          RawHttpClient.exchange(
              server.port("gateway"),
              "GET / HTTP/1.1\r\nHost: h\r\nVia: 1.1 a, 1.1 weir-test\r\n\r\n");
      assertThat(answer).startsWith("HTTP/1.1 508");
      assertThat(up.requestHeads()).isEmpty();
    }
  }
}
