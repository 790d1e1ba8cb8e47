package io.weir.server.gateway;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.server.Running;
import io.weir.testkit.Soon;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is no request, or not the one that was announced. */
class BadInputTest {
  private static final String GET = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";

  @TempDir Path folder;

  private Running gateway(Recorder up, String... flags) {
    String[] all = new String[flags.length + 2];
    System.arraycopy(flags, 0, all, 2, flags.length);
    all[0] = "upstream";
    all[1] = up.url();
    return Gateways.start(folder, ProxyTest.NO_RULES, all);
  }

  @Test
  void randomBytesHarmNobody() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    try (Recorder up = Recorder.answering(Recorder.OK);
        Running server = gateway(up, "request-timeout", "1s")) {
      int port = server.port("gateway");
      for (int i = 0; i < 200; i++) {
        byte[] bytes = new byte[random.nextInt(2_000)];
        random.nextBytes(bytes);
        if (i % 3 == 0) {
          byte[] begin = GET.substring(0, random.nextInt(GET.length())).getBytes(ISO_8859_1);
          System.arraycopy(begin, 0, bytes, 0, Math.min(begin.length, bytes.length));
        }
        try (Wire wire = Wire.to(port)) {
          wire.send(bytes);
        } catch (UncheckedIOException e) {
          // closed while it was sent
        }
      }
      assertThat(Wire.ask(port, GET)).as("seed " + seed).startsWith("HTTP/1.1 200");
      assertThat(up.heads()).as("seed " + seed).hasSize(1);
    }
  }

  @Test
  void tenThousandHeadersAreRefusedAndNotForwarded() {
    try (Recorder up = Recorder.answering(Recorder.OK);
        Running server = gateway(up);
        Wire wire = Wire.to(server.port("gateway"))) {
      StringBuilder many = new StringBuilder("GET / HTTP/1.1\r\nHost: h\r\n");
      for (int i = 0; i < 10_000; i++) {
        many.append("X-").append(i).append(": ").append(i).append("\r\n");
      }
      try {
        wire.send(many + "\r\n");
      } catch (UncheckedIOException e) {
        // it was answered long before
      }
      String answer = wire.rest();
      assertThat(answer.isEmpty() || answer.contains(" 431 ")).as(answer).isTrue();
      assertThat(up.heads()).isEmpty();
      assertThat(Wire.ask(server.port("gateway"), GET)).startsWith("HTTP/1.1 200");
    }
  }

  @Test
  void aLongTargetIsRefused() {
    try (Recorder up = Recorder.answering(Recorder.OK);
        Running server = gateway(up)) {
      String target = "/" + "a".repeat(9_000);
      assertThat(Wire.ask(server.port("gateway"), "GET " + target + " HTTP/1.1\r\nHost: h\r\n\r\n"))
          .contains(" 414 ");
      assertThat(up.heads()).isEmpty();
    }
  }

  @Test
  void aBodyShorterThanAnnouncedIsNeverWholeUpstream() {
    CountDownLatch cut = new CountDownLatch(1);
    try (Recorder up =
            Recorder.with(
                (head, in, out) -> {
                  if (in.readNBytes(10).length < 10) {
                    cut.countDown();
                  }
                  return false;
                });
        Running server = gateway(up)) {
      try (Wire wire = Wire.to(server.port("gateway"))) {
        wire.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nabc");
        Soon.until(Duration.ofSeconds(60), "it is under way", () -> !up.heads().isEmpty());
      }
      Soon.until(Duration.ofSeconds(60), "it is cut upstream too", () -> cut.getCount() == 0);
    }
  }

  @Test
  void whatFollowsABodyIsTheNextRequestAndNoPartOfIt() {
    try (Recorder up = Recorder.answering(Recorder.OK);
        Running server = gateway(up);
        Wire wire = Wire.to(server.port("gateway"))) {
      wire.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabcdefgh\r\n\r\n");
      assertThat(wire.answer()).startsWith("HTTP/1.1 200");
      assertThat(wire.rest()).containsPattern("^HTTP/1.[01] 400");
      assertThat(up.received()).endsWith("\r\n\r\nabc").doesNotContain("defgh");
    }
  }
}
