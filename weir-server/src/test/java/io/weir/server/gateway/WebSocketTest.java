package io.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.json.JsonObject;
import io.weir.server.Running;
import io.weir.testkit.Soon;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** WebSockets through the gateway. */
@Tag("slow")
class WebSocketTest {
  private static final String WS_CALLER =
      "{\"attributes\":{\"method\":\"WS\",\"ip\":\"127.0.0.1\"}}";

  @TempDir Path folder;

  private final Vertx vertx = Vertx.vertx();
  private final List<String> seen = new CopyOnWriteArrayList<>();
  private HttpServer upstream;

  @BeforeEach
  void open() throws Exception {
    HttpServerOptions options =
        new HttpServerOptions()
            .addWebSocketSubProtocol("chat")
            .setMaxWebSocketFrameSize(1 << 24)
            .setMaxWebSocketMessageSize(1 << 24);
    upstream =
        wait(
            vertx
                .createHttpServer(options)
                .webSocketHandshakeHandler(
                    shake -> {
                      if (shake.path().startsWith("/no")) {
                        shake.reject(418);
                      } else {
                        shake.accept();
                      }
                    })
                .webSocketHandler(
                    socket -> {
                      seen.add("open " + socket.headers().get("X-Forwarded-For"));
                      socket.textMessageHandler(
                          text -> {
                            seen.add(text);
                            socket.writeTextMessage("echo " + text);
                          });
                      socket.binaryMessageHandler(socket::writeBinaryMessage);
                      socket.closeHandler(v -> seen.add("close " + socket.closeStatusCode()));
                    })
                .requestHandler(http -> http.response().end("plain"))
                .listen(0, "127.0.0.1"));
  }

  @AfterEach
  void close() throws Exception {
    wait(vertx.close());
  }

  private static <T> T wait(io.vertx.core.Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
  }

  private Running gateway(String rules) {
    return Gateways.start(folder, rules, "upstream", "http://127.0.0.1:" + upstream.actualPort());
  }

  /** What a caller hears. */
  private static final class Ear implements WebSocket.Listener {
    final List<String> heard = new CopyOnWriteArrayList<>();
    final StringBuilder part = new StringBuilder();
    long bytes;

    @Override
    public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
      part.append(data);
      if (last) {
        heard.add(part.toString());
        part.setLength(0);
      }
      socket.request(1);
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<?> onBinary(WebSocket socket, ByteBuffer data, boolean last) {
      bytes += data.remaining();
      if (last) {
        heard.add("binary " + bytes);
      }
      socket.request(1);
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
      heard.add("close " + code + " " + reason);
      return CompletableFuture.completedFuture(null);
    }

    void hears(String what) {
      Soon.until(
          Duration.ofSeconds(60), "hears " + what + ", of " + heard, () -> heard.contains(what));
    }
  }

  private static WebSocket connect(Running server, String path, Ear ear) {
    return HttpClient.newHttpClient()
        .newWebSocketBuilder()
        .subprotocols("chat", "other")
        .buildAsync(URI.create("ws://127.0.0.1:" + server.port("gateway") + path), ear)
        .orTimeout(60, TimeUnit.SECONDS)
        .join();
  }

  @Test
  void messagesGoBothWaysAndTheSubprotocolIsTheUpstreams() {
    Ear ear = new Ear();
    try (Running server = gateway(ProxyTest.NO_RULES)) {
      WebSocket socket = connect(server, "/chat", ear);
      assertThat(socket.getSubprotocol()).isEqualTo("chat");
      socket.sendText("hello", true).join();
      ear.hears("echo hello");
      assertThat(seen).containsExactly("open 127.0.0.1", "hello");
      socket.sendText("in ", false).join();
      socket.sendText("parts", true).join();
      ear.hears("echo in parts");
      socket.sendBinary(ByteBuffer.allocate(1_000_000), true).join();
      ear.hears("binary 1000000");
      socket.sendClose(WebSocket.NORMAL_CLOSURE, "bye").join();
      ear.hears("close 1000 bye");
      Soon.until(
          Duration.ofSeconds(60), "the upstream hears it", () -> seen.contains("close 1000"));
    }
  }

  @Test
  void h4TheHandshakeIsChargedOnceAndMessagesAreNot() {
    String rules = "rules: [{id: ip, per: [ip], limit: 2/hour}]";
    try (Running server = gateway(rules)) {
      Ear ear = new Ear();
      WebSocket socket = connect(server, "/chat", ear);
      for (int i = 0; i < 20; i++) {
        socket.sendText("m" + i, true).join();
      }
      ear.hears("echo m19");
      connect(server, "/chat", new Ear()).abort();
      assertThatThrownBy(() -> connect(server, "/chat", new Ear()))
          .isInstanceOf(CompletionException.class)
          .cause()
          .isInstanceOfSatisfying(
              WebSocketHandshakeException.class,
              e -> assertThat(e.getResponse().statusCode()).isEqualTo(429));
      Soon.until(
          Duration.ofSeconds(60), "the second came", () -> seen.lastIndexOf(seen.get(0)) > 0);
      assertThat(seen).filteredOn(s -> s.startsWith("open")).hasSize(2);
    }
  }

  @Test
  void aRefusedMessageEndsTheWebSocketAndIsNotSeen() {
    String rules =
        "rules: [{id: chat, match: {endpoint: \"WS /chat/**\"}, per: [ip], limit: 3/hour}]";
    try (Running server = gateway(rules)) {
      Ear ear = new Ear();
      WebSocket socket = connect(server, "/chat/room", ear);
      for (int i = 0; i < 4; i++) {
        var unused = socket.sendText("m" + i, true).join();
      }
      ear.hears("close 1008 refused by chat");
      assertThat(ear.heard).contains("echo m0", "echo m1", "echo m2").doesNotContain("echo m3");
      Soon.until(
          Duration.ofSeconds(60), "the upstream hears it", () -> seen.contains("close 1008"));
      assertThat(seen).doesNotContain("m3");
      Ear other = new Ear();
      WebSocket elsewhere = connect(server, "/elsewhere", other);
      for (int i = 0; i < 10; i++) {
        elsewhere.sendText("e" + i, true).join();
      }
      other.hears("echo e9");
    }
  }

  @Test
  void ruleAddedWhileAWebSocketIsOpen_limitsItsMessages() throws Exception {
    try (Running server = gateway(ProxyTest.NO_RULES)) {
      Ear ear = new Ear();
      WebSocket socket = connect(server, "/chat", ear);
      socket.sendText("before", true).join();
      ear.hears("echo before");
      try (Stream<Path> files = Files.walk(folder)) {
        Path file = files.filter(f -> f.endsWith("rules.yaml")).findFirst().orElseThrow();
        Files.writeString(
            file, "rules: [{id: chat, match: {method: WS}, per: [ip], limit: 3/hour}]");
      }
      Soon.until(
          Duration.ofSeconds(60),
          "the rule is in force",
          () -> server.post("/v1/peek", WS_CALLER).body().contains("chat"));
      for (int i = 0; i < 4; i++) {
        socket.sendText("m" + i, true).join();
      }
      ear.hears("close 1008 refused by chat");
      assertThat(ear.heard).contains("echo m2").doesNotContain("echo m3");
      assertThat(seen).doesNotContain("m3");
    }
  }

  @Test
  void aMessageThatIsHeldGivesItsPlaceBackWhenTheCallerLeaves() {
    String rules =
        "rules: [{id: chat, match: {method: WS}, per: [ip], algorithm: leaky-bucket,"
            + " limit: 1/hour, burst: 3}]";
    try (Running server = gateway(rules)) {
      Ear ear = new Ear();
      WebSocket socket = connect(server, "/chat", ear);
      socket.sendText("one", true).join();
      ear.hears("echo one");
      socket.sendText("two", true).join();
      Duration soon = Duration.ofSeconds(60);
      Soon.until(soon, "the second is held", () -> placesLeft(server) == 1);
      socket.abort();
      Soon.until(soon, "its place is free", () -> placesLeft(server) == 2);
      assertThat(seen).doesNotContain("two");
    }
  }

  @Test
  void aMessageHeldWhileItsRuleIsRemoved_givesItsPlaceBackAllTheSame() {
    String chat =
        "{id: chat, match: {method: WS}, per: [ip], algorithm: leaky-bucket,"
            + " limit: 1/hour, burst: 3}";
    String added =
        "{id: added, match: {method: WS}, per: [ip], algorithm: fixed-window, limit: 9/hour}";
    try (Running server = gateway("rules: [" + chat + "]")) {
      Ear ear = new Ear();
      WebSocket socket = connect(server, "/chat", ear);
      socket.sendText("one", true).join();
      ear.hears("echo one");
      socket.sendText("two", true).join();
      Duration soon = Duration.ofSeconds(60);
      Soon.until(soon, "the second is held", () -> placesLeft(server) == 1);
      server.replaceRules("rules: [" + added + "]");
      Soon.until(soon, "another rule", () -> placesLeft(server) == 9);
      server.post("/v1/check", WS_CALLER);
      socket.abort();
      server.replaceRules("rules: [" + chat + ", " + added + "]");
      Soon.until(soon, "its place is free", () -> placesLeft(server) == 2);
      assertThat(server.post("/v1/peek", WS_CALLER).body())
          .as("what it was not charged")
          .contains("\"limit\":9,\"remaining\":8,");
    }
  }

  private static long placesLeft(Running server) {
    return new JsonObject(server.post("/v1/peek", WS_CALLER).body())
        .getJsonArray("rules")
        .getJsonObject(0)
        .getLong("remaining");
  }

  @Test
  void aMessageInPartsIsOneMessage() {
    String rules = "rules: [{id: chat, match: {method: WS}, per: [ip], limit: 2/hour}]";
    try (Running server = gateway(rules)) {
      Ear ear = new Ear();
      WebSocket socket = connect(server, "/chat", ear);
      for (int i = 0; i < 9; i++) {
        socket.sendText("p", false).join();
        socket.sendPing(ByteBuffer.wrap(new byte[3])).join();
      }
      socket.sendText("p", true).join();
      ear.hears("echo pppppppppp");
      socket.sendText("two", true).join();
      ear.hears("echo two");
      socket.sendText("three", true).join();
      ear.hears("close 1008 refused by chat");
    }
  }

  @Test
  void anUpstreamThatDeclinesIsHeard() {
    try (Running server = gateway(ProxyTest.NO_RULES)) {
      assertThatThrownBy(() -> connect(server, "/no", new Ear()))
          .cause()
          .isInstanceOfSatisfying(
              WebSocketHandshakeException.class,
              e -> assertThat(e.getResponse().statusCode()).isEqualTo(418));
    }
  }

  @Test
  void whatOnlyLooksLikeAHandshakeIsForwardedWithoutTheUpgrade() {
    try (Running server = gateway(ProxyTest.NO_RULES)) {
      String answer =
          Wire.ask(
              server.port("gateway"),
              "GET /x HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n");
      assertThat(answer).startsWith("HTTP/1.1 200").endsWith("plain");
    }
  }
}
