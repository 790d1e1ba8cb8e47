package io.weir.server.admin;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.redis.RedisStore;
import io.weir.rule.RuleSet;
import io.weir.rules.Rules;
import io.weir.testkit.Soon;
import io.weir.testkit.redis.RedisProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whoever listens hears the news; whoever does not listen harms nobody. */
@Timeout(90)
@Tag("slow")
class EventsTest {
  private static final RuleSet RULES = Rules.parse("rules: [{id: api, per: [user], limit: 1/day}]");
  private static final Duration SOON = Duration.ofSeconds(30);

  private AdminDoor door;

  @BeforeEach
  void open() {
    door = new AdminDoor(RULES);
  }

  @AfterEach
  void close() {
    door.close();
  }

  /** One who listens, and what it hears. */
  private static final class Ear implements AutoCloseable {
    private final Stream<String> stream;
    private final Iterator<String> lines;

    Ear(AdminDoor door) {
      HttpResponse<Stream<String>> response =
          door.ask(
              door.request("GET", "/admin/events", "")
                  .header("Authorization", "Bearer " + AdminDoor.TOKEN),
              BodyHandlers.ofLines());
      assertThat(response.statusCode()).isEqualTo(200);
      assertThat(response.headers().firstValue("content-type"))
          .contains("text/event-stream; charset=utf-8");
      stream = response.body();
      lines = stream.iterator();
      assertThat(next("hello").getString("node")).isEqualTo("node-1");
    }

    /** The next event, which must be of this type. */
    JsonObject next(String type) {
      String line = lines.next();
      while (!line.startsWith("event: ")) {
        line = lines.next();
      }
      assertThat(line).isEqualTo("event: " + type);
      String data = lines.next();
      assertThat(data).startsWith("data: {");
      return new JsonObject(data.substring("data: ".length()));
    }

    @Override
    public void close() {
      stream.close();
    }
  }

  private Limiter limiter() {
    return Weir.limiter(RULES)
        .store(door.store)
        .clock(door.clock)
        .listener(door.activity.decisions())
        .build();
  }

  @Test
  void refusalsAndRuleChangesAreHeard() {
    try (Ear ear = new Ear(door)) {
      Limiter limiter = limiter();
      Request request = Request.of("user", "<b>\n42", "endpoint", "GET /x", "cookie", "Marker-1");
      limiter.decideNow(request);
      limiter.decideNow(request);
      JsonObject refused = ear.next("refused");
      assertThat(refused.getString("rule")).isEqualTo("api");
      assertThat(refused.getJsonObject("caller"))
          .isEqualTo(new JsonObject().put("user", "<b>\n42"));
      assertThat(refused.getString("endpoint")).isEqualTo("GET /x");
      assertThat(refused.getLong("retry_after_ms")).isEqualTo(86_400_000);
      assertThat(refused.getLong("left_out")).isZero();
      assertThat(refused.encode()).doesNotContain("Marker-1");
      door.activity.rules().changed(RULES);
      assertThat(ear.next("rules").getLong("revision")).isEqualTo(1);
      door.activity.rules().rejected("rules.yaml:1:1: wrong");
      assertThat(ear.next("rules_refused").getString("reason")).contains("rules.yaml:1:1");
    }
    Soon.until(SOON, "it is forgotten", () -> hasNoListeners(door));
  }

  /** Tells something, since who is gone may be found only then. */
  private static boolean hasNoListeners(AdminDoor door) {
    door.activity.store().found(Duration.ZERO);
    return door.activity.events.listeners() == 0;
  }

  @Test
  void ofAFloodAFewAreHeardAndTheRestIsCounted() {
    try (Ear ear = new Ear(door)) {
      Limiter limiter = limiter();
      for (int i = 0; i < 101; i++) {
        limiter.decideNow(Request.of("user", "a"));
      }
      for (int i = 0; i < 20; i++) {
        assertThat(ear.next("refused").getLong("left_out")).isZero();
      }
      door.clock.advance(Duration.ofSeconds(1));
      limiter.decideNow(Request.of("user", "a"));
      assertThat(ear.next("refused").getLong("left_out")).isEqualTo(80);
    }
  }

  @Test
  void aStoreLostAndFoundIsHeard() {
    try (RedisProcess redis = RedisProcess.start();
        AdminDoor remote =
            new AdminDoor(
                RULES,
                (clock, activity) ->
                    RedisStore.at(redis.uri())
                        .deadline(Duration.ofMillis(200))
                        .listener(activity.store())
                        .open(),
                "127.0.0.1");
        Ear ear = new Ear(remote)) {
      Limiter limiter =
          Weir.limiter(RULES).store(remote.store).listener(remote.activity.decisions()).build();
      redis.kill();
      List<String> heard = new ArrayList<>();
      while (!heard.contains("event: store_lost") || !heard.contains("event: degraded")) {
        limiter.decideNow(Request.of("user", "a"));
        heard.add(ear.lines.next());
      }
      redis.restart();
      Soon.until(SOON, "it decides", () -> !limiter.decideNow(Request.of("user", "b")).degraded());
      String line = ear.lines.next();
      while (!line.equals("event: store_found")) {
        line = ear.lines.next();
      }
      assertThat(new JsonObject(ear.lines.next().substring(6)).getLong("away_ms")).isPositive();
    }
  }

  @Test
  void theStreamBeatsWhileNothingHappens() {
    try (Ear ear = new Ear(door)) {
      String line = ear.lines.next();
      while (!line.startsWith(":")) {
        line = ear.lines.next();
      }
      assertThat(line).isEqualTo(": still here");
    }
  }

  @Test
  void whoDoesNotReadIsCutOff() throws IOException {
    try (Socket deaf = connect()) {
      Soon.until(SOON, "it listens", () -> door.activity.events.listeners() == 1);
      String long1 = "x".repeat(50_000);
      Soon.until(
          SOON,
          "it is cut off",
          () -> {
            door.activity.rules().rejected(long1);
            return door.activity.events.listeners() == 0;
          });
      assertThat(deaf.isConnected()).isTrue();
    }
    try (Ear ear = new Ear(door)) {
      door.activity.rules().rejected("others hear");
      assertThat(ear.next("rules_refused").getString("reason")).isEqualTo("others hear");
    }
  }

  @Test
  void thereIsRoomForSoMany() throws IOException {
    List<Socket> all = new ArrayList<>();
    try {
      for (int i = 0; i < Events.MOST_STREAMS; i++) {
        all.add(connect());
      }
      Soon.until(SOON, "all listen", () -> door.activity.events.listeners() == Events.MOST_STREAMS);
      assertThat(door.get("/admin/events").statusCode()).isEqualTo(503);
      for (Socket one : all) {
        one.close();
      }
      Soon.until(SOON, "all are forgotten", () -> hasNoListeners(door));
      new Ear(door).close();
    } finally {
      for (Socket one : all) {
        one.close();
      }
    }
  }

  private Socket connect() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), door.port());
    String head = "GET /admin/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ";
    socket.getOutputStream().write((head + AdminDoor.TOKEN + "\r\n\r\n").getBytes(ISO_8859_1));
    return socket;
  }

  @Test
  void aNodeThatStopsEndsTheStreams() {
    try (Ear ear = new Ear(door)) {
      door.api.stopping();
      while (ear.lines.hasNext()) {
        assertThat(ear.lines.next()).isBlank();
      }
      assertThat(door.get("/admin/events").statusCode()).isEqualTo(503);
    }
  }
}
