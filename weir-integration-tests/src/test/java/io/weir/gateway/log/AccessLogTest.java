package io.weir.gateway.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.weir.store.Clock;
import io.weir.web.LineWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** The bounds of the access log, whose target may be stuck or fail. */
class AccessLogTest {
  private static AccessLogEntry entry(int number) {
    return new AccessLogEntry(
        0,
        1,
        -1,
        "" + number,
        "ip",
        null,
        "GET",
        "/",
        "HTTP/1.1",
        null,
        200,
        0,
        0,
        "allowed",
        false,
        null,
        null,
        null,
        null,
        null,
        null);
  }

  @Test
  void stuckTarget_neverBlocksAndWrittenAndDroppedLinesAddUp() {
    CountDownLatch stuck = new CountDownLatch(1);
    ByteArrayOutputStream written = new ByteArrayOutputStream();
    OutputStream target =
        new OutputStream() {
          @Override
          public void write(int b) {
            throw new IllegalStateException("bytes are written in lines");
          }

          @Override
          public void write(byte[] bytes, int from, int length) throws IOException {
            try {
              stuck.await();
            } catch (InterruptedException e) {
              throw new IOException(e);
            }
            written.write(bytes, from, length);
          }
        };
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    int requests = 3 * AccessLog.QUEUE_CAPACITY;
    AccessLog log =
        new AccessLog(
            new LineWriter("access log", target),
            AccessLogFormat.JSON,
            1,
            registry,
            Clock.system());
    long start = Clock.monotonic().micros();
    for (int i = 0; i < requests; i++) {
      log.log(entry(i));
    }
    assertThat(
            Duration.of(Clock.monotonic().micros() - start, java.time.temporal.ChronoUnit.MICROS))
        .as("time of logging while nothing can be written")
        .isLessThan(Duration.ofSeconds(10));
    stuck.countDown();
    log.close();
    String[] lines = written.toString(StandardCharsets.US_ASCII).lines().toArray(String[]::new);
    long dropped = (long) registry.get("weir.gateway.access.log.dropped").counter().count();
    assertThat(dropped).isBetween(1L, (long) requests);
    long logged = 0;
    long reported = 0;
    for (String line : lines) {
      if (line.contains("\"event\":\"dropped\"")) {
        reported += Long.parseLong(line.replaceAll(".*\"count\":([0-9]+).*", "$1"));
      } else {
        logged++;
      }
    }
    assertThat(reported).isEqualTo(dropped);
    assertThat(logged + dropped).isEqualTo(requests);
  }

  @Test
  void failingTarget_countsItsLines() {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    OutputStream full =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            throw new IOException("no space left");
          }
        };
    AccessLog log =
        new AccessLog(
            new LineWriter("access log", full),
            AccessLogFormat.COMBINED,
            1,
            registry,
            Clock.system());
    log.log(entry(1));
    log.log(entry(2));
    log.close();
    assertThat(registry.get("weir.gateway.access.log.dropped").counter().count()).isEqualTo(2);
  }
}
