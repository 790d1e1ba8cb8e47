package io.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.server.Running;
import io.weir.testkit.Soon;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Callers that hold connections and send next to nothing: E4, at every door. */
@Tag("slow")
class SlowCallersTest {
  private static final String GET = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
  private static final Duration LONG = Duration.ofSeconds(60);

  @TempDir Path folder;

  private Running server(Recorder up, String... flags) {
    String[] all = new String[flags.length + 6];
    System.arraycopy(flags, 0, all, 6, flags.length);
    all[0] = "upstream";
    all[1] = up.url();
    all[2] = "request-timeout";
    all[3] = "1s";
    all[4] = "admin-port";
    all[5] = "0";
    return Gateways.start(folder, ProxyTest.NO_RULES, all);
  }

  /** Sends a byte at a time until the other end has had enough. */
  private static void trickle(Wire wire, String what) {
    Soon.until(
        LONG,
        what,
        () -> {
          try {
            wire.send("x");
            Soon.pass(Duration.ofMillis(100));
            return false;
          } catch (UncheckedIOException e) {
            return true;
          }
        });
  }

  @Test
  void e4AHeadThatTricklesIsGivenUpAtEveryDoor() {
    try (Recorder up = Recorder.answering(Recorder.OK);
        Running server = server(up)) {
      for (String door : List.of("gateway", "http", "admin")) {
        try (Wire wire = Wire.to(server.port(door))) {
          wire.send("GET / HTTP/1.1\r\nHost: h\r\nX-Slow: ");
          trickle(wire, door + " closes");
        }
      }
      assertThat(up.heads()).isEmpty();
    }
  }

  @Test
  void e4AlsoTheSecondHeadOfAConnection() {
    try (Recorder up = Recorder.answering(Recorder.OK);
        Running server = server(up);
        Wire wire = Wire.to(server.port("gateway"))) {
      assertThat(wire.send(GET).answer()).startsWith("HTTP/1.1 200");
      Soon.pass(Duration.ofMillis(1_500));
      assertThat(wire.send(GET).answer()).as("idle between requests").startsWith("HTTP/1.1 200");
      wire.send("GET /2 HTTP/1.1\r\n");
      trickle(wire, "it is closed");
      assertThat(up.heads()).hasSize(2);
    }
  }

  @Test
  void e4SilentConnectionsAreCountedFromTheFirstMomentAndGivenUp() {
    try (Recorder up = Recorder.answering(Recorder.OK);
        Running server = server(up, "max-connections", "5")) {
      int port = server.port("gateway");
      List<Wire> silent = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        silent.add(Wire.to(port));
      }
      try (Wire sixth = Wire.to(port)) {
        assertThat(sixth.isClosed()).isTrue();
      }
      assertThat(silent).allMatch(Wire::isClosed);
      Soon.until(LONG, "there is room again", () -> answers(port));
    }
  }

  private static boolean answers(int port) {
    try {
      return Wire.ask(port, GET).startsWith("HTTP/1.1 200");
    } catch (UncheckedIOException e) {
      return false;
    }
  }

  @Test
  void e4OthersAreServedWhileHundredsTrickle() {
    try (Recorder up = Recorder.answering(Recorder.OK);
        Running server = server(up)) {
      int port = server.port("gateway");
      List<Wire> slow = new ArrayList<>();
      for (int i = 0; i < 300; i++) {
        slow.add(
            Wire.to(port)
                .send(
                    i % 2 == 0
                        ? "GET / HTTP/1.1\r\nX: "
                        : "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 99999\r\n\r\nab"));
      }
      for (int i = 0; i < 50; i++) {
        assertThat(Wire.ask(port, GET)).startsWith("HTTP/1.1 200");
      }
      assertThat(slow).allMatch(Wire::isClosed);
    }
  }

  @Test
  void e4RapidResetEndsTheConnectionAndHarmsNobody() {
    try (Recorder up = Recorder.answering(Recorder.OK);
        Running server = server(up);
        RawHttp2 caller = RawHttp2.to(server.port("gateway"))) {
      for (int i = 0; i < 1_000 && !caller.isBroken(); i++) {
        caller.get(2 * i + 1, "/", "x", "y").reset(2 * i + 1);
      }
      assertThat(caller.isEndedByPeer()).isTrue();
      assertThat(Wire.ask(server.port("gateway"), GET)).startsWith("HTTP/1.1 200");
    }
  }
}
