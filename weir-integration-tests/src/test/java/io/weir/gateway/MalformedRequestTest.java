package io.weir.gateway;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.server.RunningServer;
import io.weir.testkit.Await;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Malformed requests, and bodies that do not match their announced length. */
class MalformedRequestTest {
  private static final String GET = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";

  @TempDir Path folder;

  private RunningServer gateway(RecordingUpstream up, String... flags) {
    String[] all = new String[flags.length + 2];
    System.arraycopy(flags, 0, all, 2, flags.length);
    all[0] = "upstream";
    all[1] = up.url();
    return GatewayTestServer.start(folder, GatewayProxyTest.NO_RULES, all);
  }

  @Test
  void randomBytes_doNotAffectOtherRequests() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    try (RecordingUpstream up = RecordingUpstream.answering(RecordingUpstream.OK_RESPONSE);
        RunningServer server = gateway(up, "request-timeout", "1s")) {
      int port = server.port("gateway");
      for (int i = 0; i < 200; i++) {
        byte[] bytes = new byte[random.nextInt(2_000)];
        random.nextBytes(bytes);
        if (i % 3 == 0) {
          byte[] begin = GET.substring(0, random.nextInt(GET.length())).getBytes(ISO_8859_1);
          System.arraycopy(begin, 0, bytes, 0, Math.min(begin.length, bytes.length));
        }
        try (RawHttpClient wire = RawHttpClient.connect(port)) {
          wire.send(bytes);
        } catch (UncheckedIOException e) {
          // closed while sending
        }
      }
      assertThat(RawHttpClient.exchange(port, GET)).as("seed " + seed).startsWith("HTTP/1.1 200");
      assertThat(up.requestHeads()).as("seed " + seed).hasSize(1);
    }
  }

  @Test
  void tenThousandHeaders_areRejectedAndNotForwarded() {
    try (RecordingUpstream up = RecordingUpstream.answering(RecordingUpstream.OK_RESPONSE);
        RunningServer server = gateway(up);
        RawHttpClient wire = RawHttpClient.connect(server.port("gateway"))) {
      StringBuilder many = new StringBuilder("GET / HTTP/1.1\r\nHost: h\r\n");
      for (int i = 0; i < 10_000; i++) {
        many.append("X-").append(i).append(": ").append(i).append("\r\n");
      }
      try {
        wire.send(many + "\r\n");
      } catch (UncheckedIOException e) {
        // rejected before everything was sent
      }
      String answer = wire.readToEnd();
      assertThat(answer.isEmpty() || answer.contains(" 431 ")).as(answer).isTrue();
      assertThat(up.requestHeads()).isEmpty();
      assertThat(RawHttpClient.exchange(server.port("gateway"), GET)).startsWith("HTTP/1.1 200");
    }
  }

  @Test
  void tooLongTarget_isRejected() {
    try (RecordingUpstream up = RecordingUpstream.answering(RecordingUpstream.OK_RESPONSE);
        RunningServer server = gateway(up)) {
      String target = "/" + "a".repeat(9_000);
      assertThat(
              RawHttpClient.exchange(
                  server.port("gateway"), "GET " + target + " HTTP/1.1\r\nHost: h\r\n\r\n"))
          .contains(" 414 ");
      assertThat(up.requestHeads()).isEmpty();
    }
  }

  @Test
  void bodyShorterThanContentLength_isCutUpstreamToo() {
    CountDownLatch cut = new CountDownLatch(1);
    try (RecordingUpstream up =
            RecordingUpstream.withScript(
                (head, in, out) -> {
                  if (in.readNBytes(10).length < 10) {
                    cut.countDown();
                  }
                  return false;
                });
        RunningServer server = gateway(up)) {
      try (RawHttpClient wire = RawHttpClient.connect(server.port("gateway"))) {
        wire.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nabc");
        Await.until(
            Duration.ofSeconds(60), "the request is forwarded", () -> !up.requestHeads().isEmpty());
      }
      Await.until(
          Duration.ofSeconds(60), "the upstream connection is closed", () -> cut.getCount() == 0);
    }
  }

  @Test
  void bytesAfterTheBody_areReadAsTheNextRequest() {
    try (RecordingUpstream up = RecordingUpstream.answering(RecordingUpstream.OK_RESPONSE);
        RunningServer server = gateway(up);
        RawHttpClient wire = RawHttpClient.connect(server.port("gateway"))) {
      wire.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabcdefgh\r\n\r\n");
      assertThat(wire.readResponse()).startsWith("HTTP/1.1 200");
      assertThat(wire.readToEnd()).containsPattern("^HTTP/1.[01] 400");
      assertThat(up.received()).endsWith("\r\n\r\nabc").doesNotContain("defgh");
    }
  }
}
