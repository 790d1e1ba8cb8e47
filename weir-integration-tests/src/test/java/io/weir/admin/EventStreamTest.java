package io.weir.admin;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.redis.RedisStore;
import io.weir.rule.RuleSet;
import io.weir.rules.Rules;
import io.weir.testkit.Await;
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

/** Events reach all subscribers; a subscriber that does not read affects no other. */
@Timeout(90)
@Tag("slow")
class EventStreamTest {
  private static final RuleSet RULES = Rules.parse("rules: [{id: api, per: [user], limit: 1/day}]");
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  private AdminTestServer server;

  @BeforeEach
  void open() {
    server = new AdminTestServer(RULES);
  }

  @AfterEach
  void close() {
    server.close();
  }

  /** A subscriber to the event stream. */
  private static final class EventStreamClient implements AutoCloseable {
    private final Stream<String> stream;
    private final Iterator<String> lines;

    EventStreamClient(AdminTestServer adminServer) {
      HttpResponse<Stream<String>> response =
          adminServer.exchange(
              adminServer
                  .request("GET", "/admin/events", "")
                  .header("Authorization", "Bearer " + AdminTestServer.TOKEN),
              BodyHandlers.ofLines());
      assertThat(response.statusCode()).isEqualTo(200);
      assertThat(response.headers().firstValue("content-type"))
          .contains("text/event-stream; charset=utf-8");
      stream = response.body();
      lines = stream.iterator();
      assertThat(next("hello").getString("node")).isEqualTo("node-1");
    }

    /** Returns the next event, which must have this type. */
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
        .store(server.store)
        .clock(server.clock)
        .listener(server.activity.decisionListener())
        .build();
  }

  @Test
  void refusalAndRuleChange_areSentAsEvents() {
    try (EventStreamClient client = new EventStreamClient(server)) {
      Limiter limiter = limiter();
      Request request = Request.of("user", "<b>\n42", "endpoint", "GET /x", "cookie", "Marker-1");
      limiter.decideNow(request);
      limiter.decideNow(request);
      JsonObject refused = client.next("refused");
      assertThat(refused.getString("rule")).isEqualTo("api");
      assertThat(refused.getJsonObject("caller"))
          .isEqualTo(new JsonObject().put("user", "<b>\n42"));
      assertThat(refused.getString("endpoint")).isEqualTo("GET /x");
      assertThat(refused.getLong("retry_after_ms")).isEqualTo(86_400_000);
      assertThat(refused.getLong("left_out")).isZero();
      assertThat(refused.encode()).doesNotContain("Marker-1");
      server.activity.rulesListener().changed(RULES);
      assertThat(client.next("rules").getLong("revision")).isEqualTo(1);
      server.activity.rulesListener().rejected("rules.yaml:1:1: wrong");
      assertThat(client.next("rules_refused").getString("reason")).contains("rules.yaml:1:1");
    }
    Await.until(TIMEOUT, "the subscriber is removed", () -> hasNoSubscribers(server));
  }

  /** Publishes an event first, because a lost connection may be noticed only on a write. */
  private static boolean hasNoSubscribers(AdminTestServer adminServer) {
    adminServer.activity.storeListener().onRecovery(Duration.ZERO);
    return adminServer.activity.events.subscriberCount() == 0;
  }

  @Test
  void floodOfRefusals_isSampledAndCounted() {
    try (EventStreamClient client = new EventStreamClient(server)) {
      Limiter limiter = limiter();
      for (int i = 0; i < 101; i++) {
        limiter.decideNow(Request.of("user", "a"));
      }
      for (int i = 0; i < 20; i++) {
        assertThat(client.next("refused").getLong("left_out")).isZero();
      }
      server.clock.advance(Duration.ofSeconds(1));
      limiter.decideNow(Request.of("user", "a"));
      assertThat(client.next("refused").getLong("left_out")).isEqualTo(80);
    }
  }

  @Test
  void storeLostAndFound_isSentAsEvents() {
    try (RedisProcess redis = RedisProcess.start();
        AdminTestServer remote =
            new AdminTestServer(
                RULES,
                (clock, activity) ->
                    RedisStore.at(redis.uri())
                        .deadline(Duration.ofMillis(200))
                        .listener(activity.storeListener())
                        .open(),
                "127.0.0.1");
        EventStreamClient client = new EventStreamClient(remote)) {
      Limiter limiter =
          Weir.limiter(RULES)
              .store(remote.store)
              .listener(remote.activity.decisionListener())
              .build();
      redis.kill();
      List<String> received = new ArrayList<>();
      while (!received.contains("event: store_lost") || !received.contains("event: degraded")) {
        limiter.decideNow(Request.of("user", "a"));
        received.add(client.lines.next());
      }
      redis.restart();
      Await.until(
          TIMEOUT,
          "the store is back",
          () -> !limiter.decideNow(Request.of("user", "b")).degraded());
      String line = client.lines.next();
      while (!line.equals("event: store_found")) {
        line = client.lines.next();
      }
      assertThat(new JsonObject(client.lines.next().substring(6)).getLong("away_ms")).isPositive();
    }
  }

  @Test
  void idleStream_sendsHeartbeats() {
    try (EventStreamClient client = new EventStreamClient(server)) {
      String line = client.lines.next();
      while (!line.startsWith(":")) {
        line = client.lines.next();
      }
      assertThat(line).isEqualTo(": keep-alive");
    }
  }

  @Test
  void slowReader_isDisconnected() throws IOException {
    try (Socket slowSocket = connect()) {
      Await.until(
          TIMEOUT,
          "the subscriber is connected",
          () -> server.activity.events.subscriberCount() == 1);
      String longReason = "x".repeat(50_000);
      Await.until(
          TIMEOUT,
          "the subscriber is disconnected",
          () -> {
            server.activity.rulesListener().rejected(longReason);
            return server.activity.events.subscriberCount() == 0;
          });
      assertThat(slowSocket.isConnected()).isTrue();
    }
    try (EventStreamClient client = new EventStreamClient(server)) {
      server.activity.rulesListener().rejected("other subscribers");
      assertThat(client.next("rules_refused").getString("reason")).isEqualTo("other subscribers");
    }
  }

  @Test
  void tooManyStreams_areRejected() throws IOException {
    List<Socket> sockets = new ArrayList<>();
    try {
      for (int i = 0; i < EventBroadcaster.MAX_STREAMS; i++) {
        sockets.add(connect());
      }
      Await.until(
          TIMEOUT,
          "all are subscribed",
          () -> server.activity.events.subscriberCount() == EventBroadcaster.MAX_STREAMS);
      assertThat(server.get("/admin/events").statusCode()).isEqualTo(503);
      for (Socket socket : sockets) {
        socket.close();
      }
      Await.until(TIMEOUT, "all are removed", () -> hasNoSubscribers(server));
      new EventStreamClient(server).close();
    } finally {
      for (Socket socket : sockets) {
        socket.close();
      }
    }
  }

  private Socket connect() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
    String head = "GET /admin/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ";
    socket
        .getOutputStream()
        .write((head + AdminTestServer.TOKEN + "\r\n\r\n").getBytes(ISO_8859_1));
    return socket;
  }

  @Test
  void stoppingNode_endsStreams() {
    try (EventStreamClient client = new EventStreamClient(server)) {
      server.api.markStopping();
      while (client.lines.hasNext()) {
        assertThat(client.lines.next()).isBlank();
      }
      assertThat(server.get("/admin/events").statusCode()).isEqualTo(503);
    }
  }
}
