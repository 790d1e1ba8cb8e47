package io.weir.gateway;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.server.RunningServer;
import io.weir.testkit.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Upstreams that are unreachable, slow or send garbage; and callers that leave. */
@Tag("slow")
class UpstreamFailureTest {
  private static final String GET = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";

  @TempDir Path folder;

  private RunningServer gateway(RecordingUpstream up, String... flags) {
    String[] all = new String[flags.length + 2];
    System.arraycopy(flags, 0, all, 2, flags.length);
    all[0] = "upstream";
    all[1] = up.url();
    return GatewayTestServer.start(folder, GatewayProxyTest.NO_RULES, all);
  }

  private static boolean hang(CountDownLatch until) {
    try {
      until.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return false;
  }

  @Test
  void unreachableUpstream_is502() throws IOException {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    try (RunningServer server =
            GatewayTestServer.start(
                folder, GatewayProxyTest.NO_RULES, "upstream", "http://127.0.0.1:" + port);
        RawHttpClient wire = RawHttpClient.connect(server.port("gateway"))) {
      assertThat(wire.send(GET).readResponse()).startsWith("HTTP/1.1 502").contains("bad_gateway");
      assertThat(wire.send(GET).readResponse())
          .as("the connection is kept")
          .startsWith("HTTP/1.1 502");
    }
  }

  @Test
  void unresponsiveUpstream_is504AndOtherRoutesStillWork() {
    CountDownLatch end = new CountDownLatch(1);
    try (RecordingUpstream stuck = RecordingUpstream.withScript((head, in, out) -> hang(end));
        RecordingUpstream healthy = RecordingUpstream.answering(RecordingUpstream.OK_RESPONSE);
        RunningServer server =
            gateway(
                healthy,
                "gateway-routes",
                "/stuck=" + stuck.url(),
                "gateway-upstream-timeout",
                "5s",
                "gateway-connect-timeout",
                "5s",
                "gateway-upstream-connections",
                "4",
                "gateway-max-waiting",
                "4")) {
      int port = server.port("gateway");
      List<RawHttpClient> stuckCallers = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        stuckCallers.add(
            RawHttpClient.connect(port).send("GET /stuck HTTP/1.1\r\nHost: h\r\n\r\n"));
      }
      for (int i = 0; i < 20; i++) {
        assertThat(RawHttpClient.exchange(port, GET)).startsWith("HTTP/1.1 200");
      }
      List<String> answers = stuckCallers.stream().map(RawHttpClient::readResponse).toList();
      assertThat(answers)
          .allMatch(a -> a.startsWith("HTTP/1.1 504") || a.startsWith("HTTP/1.1 503"));
      assertThat(answers).anyMatch(a -> a.startsWith("HTTP/1.1 504"));
      assertThat(answers)
          .anyMatch(a -> a.startsWith("HTTP/1.1 503") && a.contains("Retry-After: 1"));
      stuckCallers.forEach(RawHttpClient::close);
      end.countDown();
    }
  }

  @Test
  void upstreamSendsGarbage_is502() {
    String[] garbage = {
      "complete nonsense\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\nabc",
      "HTTP/1.1 200 OK\r\nnocolon\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: abc\r\n\r\nabc",
      "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nabc",
      "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nabc",
      "HTTP/1.1 200 OK\r\nX: a\0b\r\nContent-Length: 2\r\n\r\nok",
      "HTTP/1.1 200 OK\r\nX: a\rEvil: b\r\nContent-Length: 2\r\n\r\nok",
      "HTTP/9.9 200 OK\r\nContent-Length: 0\r\n\r\n",
      "HTTP/1.1 101 Switching Protocols\r\n\r\n",
      "HTTP/1.1 102 Processing\r\n\r\n",
      "HTTP/1.1 200 OK\r\nX: " + "x".repeat(100_000) + "\r\n\r\n",
      "\0\1\2\3",
      ""
    };
    int[] next = new int[1];
    try (RecordingUpstream up =
            RecordingUpstream.withScript(
                (head, in, out) -> {
                  out.write(garbage[next[0]++].getBytes(ISO_8859_1));
                  return false;
                });
        RunningServer server = gateway(up)) {
      for (String one : garbage) {
        String shown = one.substring(0, Math.min(one.length(), 60));
        assertThat(RawHttpClient.exchange(server.port("gateway"), GET))
            .as(shown)
            .startsWith("HTTP/1.1 502");
      }
      assertThat(up.requestHeads()).as("nothing is sent twice").hasSize(garbage.length);
    }
  }

  @Test
  void responseThatEndsAfterItsHead_is502WithoutItsFields() {
    try (RecordingUpstream up =
            RecordingUpstream.withScript(
                (head, in, out) -> {
                  out.write(
                      "HTTP/1.1 200 OK\r\nContent-Length: 10\r\nX-Up: a\r\n\r\n"
                          .getBytes(ISO_8859_1));
                  return false;
                });
        RunningServer server = gateway(up)) {
      assertThat(RawHttpClient.exchange(server.port("gateway"), GET))
          .startsWith("HTTP/1.1 502")
          .contains("bad_gateway")
          .doesNotContainIgnoringCase("x-up")
          .doesNotContain("Content-Length: 10\r\n");
    }
  }

  @Test
  void truncatedResponse_isTruncatedForTheCallerToo() {
    String[] cut = {
      "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nzz\r\n"
    };
    for (String one : cut) {
      try (RecordingUpstream up =
              RecordingUpstream.withScript(
                  (head, in, out) -> {
                    out.write(one.getBytes(ISO_8859_1));
                    return false;
                  });
          RunningServer server = gateway(up);
          RawHttpClient wire = RawHttpClient.connect(server.port("gateway"))) {
        String all = wire.send(GET).readToEnd();
        assertThat(all).as(one).contains("200 OK").doesNotContain("\r\n0\r\n\r\n");
      }
    }
  }

  @Test
  void responseLongerThanContentLength_isNotForwarded() {
    try (RecordingUpstream up =
            RecordingUpstream.answering(
                RecordingUpstream.OK_RESPONSE + RecordingUpstream.response("200 OK", "evil"));
        RunningServer server = gateway(up);
        RawHttpClient wire = RawHttpClient.connect(server.port("gateway"))) {
      assertThat(wire.send(GET).readResponse()).endsWith("ok");
      assertThat(wire.send(GET).readResponse()).endsWith("ok").doesNotContain("evil");
    }
  }

  @Test
  void idleConnectionClosedByUpstream_failsNoRequest() {
    AtomicInteger served = new AtomicInteger();
    try (RecordingUpstream up =
            RecordingUpstream.withScript(
                (head, in, out) -> {
                  out.write(RecordingUpstream.OK_RESPONSE.getBytes(ISO_8859_1));
                  return served.incrementAndGet() % 3 != 0;
                });
        RunningServer server = gateway(up);
        RawHttpClient wire = RawHttpClient.connect(server.port("gateway"))) {
      for (int i = 0; i < 12; i++) {
        assertThat(wire.send(GET).readResponse()).endsWith("ok");
        Await.sleep(Duration.ofMillis(20));
      }
      assertThat(up.requestHeads()).hasSize(12);
    }
  }

  @Test
  void requestThatWasSent_isNotRetried() {
    try (RecordingUpstream up = RecordingUpstream.withScript((head, in, out) -> false);
        RunningServer server = gateway(up)) {
      assertThat(RawHttpClient.exchange(server.port("gateway"), GET)).startsWith("HTTP/1.1 502");
      assertThat(
              RawHttpClient.exchange(
                  server.port("gateway"),
                  "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nx"))
          .startsWith("HTTP/1.1 502");
      assertThat(up.requestHeads()).hasSize(2);
    }
  }

  @Test
  void callerLeaves_upstreamIsReleased() {
    CountDownLatch ended = new CountDownLatch(1);
    try (RecordingUpstream up =
            RecordingUpstream.withScript(
                (head, in, out) -> {
                  if (in.read() < 0) {
                    ended.countDown();
                  }
                  return false;
                });
        RunningServer server = gateway(up)) {
      try (RawHttpClient wire = RawHttpClient.connect(server.port("gateway"))) {
        wire.send(GET);
        Await.until(
            Duration.ofSeconds(60), "the request is forwarded", () -> !up.requestHeads().isEmpty());
      }
      Await.until(
          Duration.ofSeconds(60), "the upstream connection is closed", () -> ended.getCount() == 0);
    }
  }

  @Test
  void slowRequestBody_is408() {
    try (RecordingUpstream up = RecordingUpstream.answering(RecordingUpstream.OK_RESPONSE);
        RunningServer server = gateway(up, "request-timeout", "1s");
        RawHttpClient wire = RawHttpClient.connect(server.port("gateway"))) {
      wire.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\n\r\nabc");
      String answer = wire.readResponse();
      assertThat(answer).startsWith("HTTP/1.1 408");
      assertThat(wire.isClosed()).isTrue();
    }
  }

  @Test
  void callerDoesNotRead_upstreamIsReleased() {
    CountDownLatch ended = new CountDownLatch(1);
    try (RecordingUpstream up =
            RecordingUpstream.withScript(
                (head, in, out) -> {
                  out.write(
                      "HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n".getBytes(ISO_8859_1));
                  byte[] block = new byte[65_536];
                  try {
                    while (true) {
                      out.write(block);
                    }
                  } catch (IOException e) {
                    ended.countDown();
                    return false;
                  }
                });
        RunningServer server = gateway(up, "request-timeout", "1s");
        RawHttpClient wire = RawHttpClient.connect(server.port("gateway"))) {
      wire.send(GET);
      Await.until(
          Duration.ofSeconds(30), "the upstream connection is closed", () -> ended.getCount() == 0);
    }
  }

  @Test
  void responseBeforeTheBodyArrived_isForwarded() {
    try (RecordingUpstream up =
            RecordingUpstream.withScript(
                (head, in, out) -> {
                  out.write(
                      "HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno".getBytes(ISO_8859_1));
                  return false;
                });
        RunningServer server = gateway(up);
        RawHttpClient wire = RawHttpClient.connect(server.port("gateway"))) {
      wire.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\nabc");
      assertThat(wire.readResponse()).startsWith("HTTP/1.1 413").endsWith("no");
    }
  }
}
