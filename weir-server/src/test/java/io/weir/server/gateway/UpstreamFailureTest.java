package io.weir.server.gateway;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.server.Running;
import io.weir.testkit.Soon;
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

/** Upstreams that are away, late, or talk nonsense; and callers that go away. */
@Tag("slow")
class UpstreamFailureTest {
  private static final String GET = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";

  @TempDir Path folder;

  private Running gateway(Recorder up, String... flags) {
    String[] all = new String[flags.length + 2];
    System.arraycopy(flags, 0, all, 2, flags.length);
    all[0] = "upstream";
    all[1] = up.url();
    return Gateways.start(folder, ProxyTest.NO_RULES, all);
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
  void anUpstreamThatIsAwayIs502() throws IOException {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    try (Running server =
            Gateways.start(folder, ProxyTest.NO_RULES, "upstream", "http://127.0.0.1:" + port);
        Wire wire = Wire.to(server.port("gateway"))) {
      assertThat(wire.send(GET).answer()).startsWith("HTTP/1.1 502").contains("bad_gateway");
      assertThat(wire.send(GET).answer()).as("the connection is kept").startsWith("HTTP/1.1 502");
    }
  }

  @Test
  void h5AnUpstreamThatDoesNotAnswerIs504AndHarmsNoOtherRoute() {
    CountDownLatch end = new CountDownLatch(1);
    try (Recorder stuck = Recorder.with((head, in, out) -> hang(end));
        Recorder well = Recorder.answering(Recorder.OK);
        Running server =
            gateway(
                well,
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
      List<Wire> stuckOnes = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        stuckOnes.add(Wire.to(port).send("GET /stuck HTTP/1.1\r\nHost: h\r\n\r\n"));
      }
      for (int i = 0; i < 20; i++) {
        assertThat(Wire.ask(port, GET)).startsWith("HTTP/1.1 200");
      }
      List<String> answers = stuckOnes.stream().map(Wire::answer).toList();
      assertThat(answers)
          .allMatch(a -> a.startsWith("HTTP/1.1 504") || a.startsWith("HTTP/1.1 503"));
      assertThat(answers).anyMatch(a -> a.startsWith("HTTP/1.1 504"));
      assertThat(answers)
          .anyMatch(a -> a.startsWith("HTTP/1.1 503") && a.contains("Retry-After: 1"));
      stuckOnes.forEach(Wire::close);
      end.countDown();
    }
  }

  @Test
  void anUpstreamThatAnswersGarbageIs502() {
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
    try (Recorder up =
            Recorder.with(
                (head, in, out) -> {
                  out.write(garbage[next[0]++].getBytes(ISO_8859_1));
                  return false;
                });
        Running server = gateway(up)) {
      for (String one : garbage) {
        String shown = one.substring(0, Math.min(one.length(), 60));
        assertThat(Wire.ask(server.port("gateway"), GET)).as(shown).startsWith("HTTP/1.1 502");
      }
      assertThat(up.heads()).as("nothing is sent twice").hasSize(garbage.length);
    }
  }

  @Test
  void anAnswerThatIsCutShortIsCutShortForTheCallerToo() {
    String[] cut = {
      "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nzz\r\n"
    };
    for (String one : cut) {
      try (Recorder up =
              Recorder.with(
                  (head, in, out) -> {
                    out.write(one.getBytes(ISO_8859_1));
                    return false;
                  });
          Running server = gateway(up);
          Wire wire = Wire.to(server.port("gateway"))) {
        String all = wire.send(GET).rest();
        assertThat(all).as(one).contains("200 OK").doesNotContain("\r\n0\r\n\r\n");
      }
    }
  }

  @Test
  void anAnswerLongerThanSaidIsNotPassedOn() {
    try (Recorder up = Recorder.answering(Recorder.OK + Recorder.text("200 OK", "evil"));
        Running server = gateway(up);
        Wire wire = Wire.to(server.port("gateway"))) {
      assertThat(wire.send(GET).answer()).endsWith("ok");
      assertThat(wire.send(GET).answer()).endsWith("ok").doesNotContain("evil");
    }
  }

  @Test
  void aKeptConnectionThatTheUpstreamGaveUpCostsNoRequest() {
    AtomicInteger served = new AtomicInteger();
    try (Recorder up =
            Recorder.with(
                (head, in, out) -> {
                  out.write(Recorder.OK.getBytes(ISO_8859_1));
                  return served.incrementAndGet() % 3 != 0;
                });
        Running server = gateway(up);
        Wire wire = Wire.to(server.port("gateway"))) {
      for (int i = 0; i < 12; i++) {
        assertThat(wire.send(GET).answer()).endsWith("ok");
        Soon.pass(Duration.ofMillis(20));
      }
      assertThat(up.heads()).hasSize(12);
    }
  }

  @Test
  void aRequestIsNotSentAgainOnceItWasSent() {
    try (Recorder up = Recorder.with((head, in, out) -> false);
        Running server = gateway(up)) {
      assertThat(Wire.ask(server.port("gateway"), GET)).startsWith("HTTP/1.1 502");
      assertThat(
              Wire.ask(
                  server.port("gateway"),
                  "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nx"))
          .startsWith("HTTP/1.1 502");
      assertThat(up.heads()).hasSize(2);
    }
  }

  @Test
  void aCallerThatGoesAwayIsNotWorkedFor() {
    CountDownLatch ended = new CountDownLatch(1);
    try (Recorder up =
            Recorder.with(
                (head, in, out) -> {
                  if (in.read() < 0) {
                    ended.countDown();
                  }
                  return false;
                });
        Running server = gateway(up)) {
      try (Wire wire = Wire.to(server.port("gateway"))) {
        wire.send(GET);
        Soon.until(Duration.ofSeconds(60), "it is under way", () -> !up.heads().isEmpty());
      }
      Soon.until(Duration.ofSeconds(60), "the upstream is let go", () -> ended.getCount() == 0);
    }
  }

  @Test
  void aCallerWhoSendsItsBodyTooSlowlyIsGivenUp() {
    try (Recorder up = Recorder.answering(Recorder.OK);
        Running server = gateway(up, "request-timeout", "1s");
        Wire wire = Wire.to(server.port("gateway"))) {
      wire.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\n\r\nabc");
      String answer = wire.answer();
      assertThat(answer).startsWith("HTTP/1.1 408");
      assertThat(wire.isClosed()).isTrue();
    }
  }

  @Test
  void aCallerWhoDoesNotReadIsGivenUp() {
    CountDownLatch ended = new CountDownLatch(1);
    try (Recorder up =
            Recorder.with(
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
        Running server = gateway(up, "request-timeout", "1s");
        Wire wire = Wire.to(server.port("gateway"))) {
      wire.send(GET);
      Soon.until(Duration.ofSeconds(30), "its upstream is free again", () -> ended.getCount() == 0);
    }
  }

  @Test
  void anAnswerBeforeTheBodyHasComeIsPassedOn() {
    try (Recorder up =
            Recorder.with(
                (head, in, out) -> {
                  out.write(
                      "HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno".getBytes(ISO_8859_1));
                  return false;
                });
        Running server = gateway(up);
        Wire wire = Wire.to(server.port("gateway"))) {
      wire.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\nabc");
      assertThat(wire.answer()).startsWith("HTTP/1.1 413").endsWith("no");
    }
  }
}
