package io.weir.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.server.RunningServer;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The memory that event loops allocate per byte of a request is bounded. Parsing with quadratic
 * cost exceeds the bound by orders of magnitude: a {@code Connection} field of 15 KiB of commas
 * once allocated 499 MB, 32,000 bytes per byte.
 */
class HeaderAllocationTest {
  /** Three times the most expensive combination measured below. */
  private static final long MAX_BYTES_PER_BYTE = 100;

  private static final int FIELD_LENGTH = 14_000;
  private static final int REQUESTS = 3;

  private static final List<String> FIELDS =
      List.of(
          "Connection",
          "Keep-Alive",
          "TE",
          "Trailer",
          "Transfer-Encoding",
          "Content-Length",
          "Upgrade",
          "Via",
          "Cookie",
          "Expect",
          "Forwarded",
          "X-Forwarded-For",
          "X-Forwarded-Host",
          "X-Forwarded-Proto",
          "X-Forwarded-Uri",
          "X-Original-URI",
          "Accept",
          "Accept-Encoding",
          "Authorization",
          "X-API-Key",
          "Sec-WebSocket-Key",
          "Sec-WebSocket-Protocol",
          "Sec-WebSocket-Extensions",
          "HTTP2-Settings",
          "traceparent",
          "X-Counted",
          "X-Other");

  private static final List<String> FILLERS =
      List.of(
          ",",
          "a,",
          "ab, ",
          " ,\t",
          ";",
          "a;",
          "a=b;",
          "\"",
          "\\\"",
          "%41",
          "1.2.3.4,",
          "127.0.0.1,",
          "for=127.0.0.1,",
          "for=\"[::1]\";",
          "a/b;q=1,",
          "a.",
          "Bearer a.b.c");

  @TempDir Path folder;

  private final com.sun.management.ThreadMXBean threads =
      (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
  private final List<String> tooCostly = new ArrayList<>();
  private final RecordingUpstream upstream =
      RecordingUpstream.answering(RecordingUpstream.OK_RESPONSE);
  private RunningServer server;

  @BeforeEach
  void start() {
    server =
        GatewayTestServer.start(
            folder,
            "rules: [{id: none, match: {path: /refused}, limit: 0/second}]",
            "upstream",
            upstream.url(),
            "identity-trusted-proxies",
            "127.0.0.0/8",
            "identity-headers",
            "X-Counted",
            "identity-jwt-secret",
            "0123456789abcdef0123456789abcdef");
  }

  @AfterEach
  void stop() {
    server.close();
    upstream.close();
  }

  @Test
  void headerFields_allocateInProportionToTheirLength() {
    for (String field : FIELDS) {
      for (String filler : FILLERS) {
        String value = filler.repeat(FIELD_LENGTH / filler.length());
        String lines =
            (field + ": " + filler + "\r\n").repeat(FIELD_LENGTH / (field.length() + 20));
        for (String path : List.of("/", "/refused")) {
          String begin = "GET " + path + " HTTP/1.1\r\nHost: h\r\n";
          String named = field + " of " + filler + " to " + path;
          measure("gateway", named, begin + field + ": " + value + "\r\n\r\n");
          measure("gateway", "lines of " + named, begin + lines + "\r\n");
        }
      }
    }
    assertThat(tooCostly).isEmpty();
  }

  @Test
  void fieldsNamedByConnection_allocateInProportionToTheirLength() {
    StringBuilder options = new StringBuilder();
    StringBuilder fields = new StringBuilder();
    for (int i = 0; i < 1_000; i++) {
      options.append("x").append(1_000 + i).append(',');
      fields.append("y").append(1_000 + i).append(":\r\n");
    }
    String request = "GET / HTTP/1.1\r\nHost: h\r\nConnection: " + options + "\r\n" + fields;
    measure("gateway", "1,000 options and 1,000 fields", request + "\r\n");
    assertThat(tooCostly).isEmpty();
    assertThat(RawHttpClient.exchange(server.port("gateway"), request + "\r\n"))
        .startsWith("HTTP/1.1 400")
        .contains("Connection");
  }

  @Test
  void upgradeRequests_allocateInProportionToTheirLength() {
    for (String filler : FILLERS) {
      String value = filler.repeat(FIELD_LENGTH / filler.length());
      String begin = "GET / HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\n";
      measure("gateway", "Upgrade and " + filler, begin + "Connection: " + value + "\r\n\r\n");
    }
    assertThat(tooCostly).isEmpty();
  }

  @Test
  void requestTargets_allocateInProportionToTheirLength() {
    for (String filler :
        List.of(
            "/", "/.", "/a/..", "/..", "%41", "%25", "%2541", ";", "/;a", "?", "&a=b", "ä", "A")) {
      String target = "/" + filler.repeat(7_000 / filler.length());
      for (String begin : List.of("", "/?", "http://h")) {
        String line = "GET " + begin + target + " HTTP/1.1\r\nHost: h\r\n";
        measure("gateway", begin + " and " + filler, line + "\r\n");
        String original = "GET /v1/auth HTTP/1.1\r\nHost: h\r\nX-Original-URI: " + begin + target;
        measure("http", "original " + begin + " and " + filler, original + "\r\n\r\n");
      }
    }
    assertThat(tooCostly).isEmpty();
  }

  @Test
  void decisionApiBodies_allocateInProportionToTheirLength() {
    for (String filler :
        List.of(
            "{",
            "[",
            "[{}",
            "\"a\":{",
            "1",
            "9",
            "\\u0041",
            "\"a\":\"b\",",
            "\"attributes\":{},",
            " ")) {
      for (String begin : List.of("", "{\"", "{\"attributes\":{", "{\"cost\":", "{\"checks\":[")) {
        String body = begin + filler.repeat(FIELD_LENGTH / filler.length());
        for (String path : List.of("check", "check-batch", "reserve")) {
          measure(
              "http",
              path + " of " + begin + " and " + filler,
              "POST /v1/%s HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n%s"
                  .formatted(path, body.length(), body));
        }
      }
    }
    assertThat(tooCostly).isEmpty();
  }

  /** Sends a request several times and records it if the event loops allocated too much. */
  private void measure(String listener, String name, String request) {
    send(listener, request);
    long before = allocatedBytes();
    for (int i = 0; i < REQUESTS; i++) {
      send(listener, request);
    }
    long perByte = (allocatedBytes() - before) / REQUESTS / request.length();
    if (perByte > MAX_BYTES_PER_BYTE) {
      tooCostly.add(perByte + " bytes per byte: " + name);
    }
  }

  private void send(String listener, String request) {
    try (RawHttpClient wire = RawHttpClient.connect(server.port(listener))) {
      assertThat(wire.send(request).readHead()).startsWith("HTTP/1.");
    }
  }

  private long allocatedBytes() {
    long[] loops =
        Arrays.stream(threads.getThreadInfo(threads.getAllThreadIds()))
            .filter(info -> info != null && info.getThreadName().startsWith("vert.x-eventloop"))
            .mapToLong(java.lang.management.ThreadInfo::getThreadId)
            .toArray();
    return Arrays.stream(threads.getThreadAllocatedBytes(loops)).sum();
  }
}
