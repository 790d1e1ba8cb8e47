package io.weir.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.json.JsonObject;
import io.weir.server.RunningServer;
import io.weir.testkit.Await;
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
class GatewayWebSocketTest {
  private static final String WS_CALLER =
      "{\"attributes\":{\"method\":\"WS\",\"ip\":\"127.0.0.1\"}}";

  @TempDir Path folder;

  private final Vertx vertx = Vertx.vertx();
  private final List<String> upstreamEvents = new CopyOnWriteArrayList<>();
  private HttpServer upstream;

  @BeforeEach
  void open() throws Exception {
    HttpServerOptions options =
        new HttpServerOptions()
            .addWebSocketSubProtocol("chat")
            .setMaxWebSocketFrameSize(1 << 24)
            .setMaxWebSocketMessageSize(1 << 24);
    upstream =
        await(
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
                      upstreamEvents.add("open " + socket.headers().get("X-Forwarded-For"));
                      socket.textMessageHandler(
                          text -> {
                            upstreamEvents.add(text);
                            socket.writeTextMessage("echo " + text);
                          });
                      socket.binaryMessageHandler(socket::writeBinaryMessage);
                      socket.closeHandler(
                          v -> upstreamEvents.add("close " + socket.closeStatusCode()));
                    })
                .requestHandler(http -> http.response().end("plain"))
                .listen(0, "127.0.0.1"));
  }

  @AfterEach
  void close() throws Exception {
    await(vertx.close());
  }

  private static <T> T await(io.vertx.core.Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
  }

  private RunningServer gateway(String rules) {
    return GatewayTestServer.start(
        folder, rules, "upstream", "http://127.0.0.1:" + upstream.actualPort());
  }

  /** Records what a caller receives. */
  private static final class RecordingWebSocketListener implements WebSocket.Listener {
    final List<String> received = new CopyOnWriteArrayList<>();
    final StringBuilder partialText = new StringBuilder();
    long receivedBytes;

    @Override
    public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
      partialText.append(data);
      if (last) {
        received.add(partialText.toString());
        partialText.setLength(0);
      }
      socket.request(1);
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<?> onBinary(WebSocket socket, ByteBuffer data, boolean last) {
      receivedBytes += data.remaining();
      if (last) {
        received.add("binary " + receivedBytes);
      }
      socket.request(1);
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
      received.add("close " + code + " " + reason);
      return CompletableFuture.completedFuture(null);
    }

    void awaitReceived(String what) {
      Await.until(
          Duration.ofSeconds(60),
          "receives " + what + ", received " + received,
          () -> received.contains(what));
    }
  }

  private static WebSocket connect(
      RunningServer server, String path, RecordingWebSocketListener ear) {
    return HttpClient.newHttpClient()
        .newWebSocketBuilder()
        .subprotocols("chat", "other")
        .buildAsync(URI.create("ws://127.0.0.1:" + server.port("gateway") + path), ear)
        .orTimeout(60, TimeUnit.SECONDS)
        .join();
  }

  @Test
  void messages_areRelayedBothWaysWithTheUpstreamsSubprotocol() {
    RecordingWebSocketListener ear = new RecordingWebSocketListener();
    try (RunningServer server = gateway(GatewayProxyTest.NO_RULES)) {
      WebSocket socket = connect(server, "/chat", ear);
      assertThat(socket.getSubprotocol()).isEqualTo("chat");
      socket.sendText("hello", true).join();
      ear.awaitReceived("echo hello");
      assertThat(upstreamEvents).containsExactly("open 127.0.0.1", "hello");
      socket.sendText("in ", false).join();
      socket.sendText("parts", true).join();
      ear.awaitReceived("echo in parts");
      socket.sendBinary(ByteBuffer.allocate(1_000_000), true).join();
      ear.awaitReceived("binary 1000000");
      socket.sendClose(WebSocket.NORMAL_CLOSURE, "bye").join();
      ear.awaitReceived("close 1000 bye");
      Await.until(
          Duration.ofSeconds(60),
          "the upstream receives the close frame",
          () -> upstreamEvents.contains("close 1000"));
    }
  }

  @Test
  void handshake_isChargedOnceAndMessagesAreNot() {
    String rules = "rules: [{id: ip, per: [ip], limit: 2/hour}]";
    try (RunningServer server = gateway(rules)) {
      RecordingWebSocketListener ear = new RecordingWebSocketListener();
      WebSocket socket = connect(server, "/chat", ear);
      for (int i = 0; i < 20; i++) {
        socket.sendText("m" + i, true).join();
      }
      ear.awaitReceived("echo m19");
      connect(server, "/chat", new RecordingWebSocketListener()).abort();
      assertThatThrownBy(() -> connect(server, "/chat", new RecordingWebSocketListener()))
          .isInstanceOf(CompletionException.class)
          .cause()
          .isInstanceOfSatisfying(
              WebSocketHandshakeException.class,
              e -> assertThat(e.getResponse().statusCode()).isEqualTo(429));
      Await.until(
          Duration.ofSeconds(60),
          "the second WebSocket is open",
          () -> upstreamEvents.lastIndexOf(upstreamEvents.get(0)) > 0);
      assertThat(upstreamEvents).filteredOn(s -> s.startsWith("open")).hasSize(2);
    }
  }

  @Test
  void refusedMessage_closesTheWebSocketAndIsNotForwarded() {
    String rules =
        "rules: [{id: chat, match: {endpoint: \"WS /chat/**\"}, per: [ip], limit: 3/hour}]";
    try (RunningServer server = gateway(rules)) {
      RecordingWebSocketListener ear = new RecordingWebSocketListener();
      WebSocket socket = connect(server, "/chat/room", ear);
      for (int i = 0; i < 4; i++) {
        var unused = socket.sendText("m" + i, true).join();
      }
      ear.awaitReceived("close 1008 refused by chat");
      assertThat(ear.received).contains("echo m0", "echo m1", "echo m2").doesNotContain("echo m3");
      Await.until(
          Duration.ofSeconds(60),
          "the upstream receives the close frame",
          () -> upstreamEvents.contains("close 1008"));
      assertThat(upstreamEvents).doesNotContain("m3");
      RecordingWebSocketListener other = new RecordingWebSocketListener();
      WebSocket elsewhere = connect(server, "/elsewhere", other);
      for (int i = 0; i < 10; i++) {
        elsewhere.sendText("e" + i, true).join();
      }
      other.awaitReceived("echo e9");
    }
  }

  @Test
  void ruleAddedWhileOpen_limitsMessages() throws Exception {
    try (RunningServer server = gateway(GatewayProxyTest.NO_RULES)) {
      RecordingWebSocketListener ear = new RecordingWebSocketListener();
      WebSocket socket = connect(server, "/chat", ear);
      socket.sendText("before", true).join();
      ear.awaitReceived("echo before");
      try (Stream<Path> files = Files.walk(folder)) {
        Path file = files.filter(f -> f.endsWith("rules.yaml")).findFirst().orElseThrow();
        Files.writeString(
            file, "rules: [{id: chat, match: {method: WS}, per: [ip], limit: 3/hour}]");
      }
      Await.until(
          Duration.ofSeconds(60),
          "the rule is in force",
          () -> server.post("/v1/peek", WS_CALLER).body().contains("chat"));
      for (int i = 0; i < 4; i++) {
        socket.sendText("m" + i, true).join();
      }
      ear.awaitReceived("close 1008 refused by chat");
      assertThat(ear.received).contains("echo m2").doesNotContain("echo m3");
      assertThat(upstreamEvents).doesNotContain("m3");
    }
  }

  @Test
  void delayedMessage_isRefundedWhenTheCallerLeaves() {
    String rules =
        "rules: [{id: chat, match: {method: WS}, per: [ip], algorithm: leaky-bucket,"
            + " limit: 1/hour, burst: 3}]";
    try (RunningServer server = gateway(rules)) {
      RecordingWebSocketListener ear = new RecordingWebSocketListener();
      WebSocket socket = connect(server, "/chat", ear);
      socket.sendText("one", true).join();
      ear.awaitReceived("echo one");
      socket.sendText("two", true).join();
      Duration timeout = Duration.ofSeconds(60);
      Await.until(timeout, "the second message is delayed", () -> remaining(server) == 1);
      socket.abort();
      Await.until(timeout, "the message is refunded", () -> remaining(server) == 2);
      assertThat(upstreamEvents).doesNotContain("two");
    }
  }

  @Test
  void delayedMessageWhoseRuleIsRemoved_isRefunded() {
    String chat =
        "{id: chat, match: {method: WS}, per: [ip], algorithm: leaky-bucket,"
            + " limit: 1/hour, burst: 3}";
    String added =
        "{id: added, match: {method: WS}, per: [ip], algorithm: fixed-window, limit: 9/hour}";
    try (RunningServer server = gateway("rules: [" + chat + "]")) {
      RecordingWebSocketListener ear = new RecordingWebSocketListener();
      WebSocket socket = connect(server, "/chat", ear);
      socket.sendText("one", true).join();
      ear.awaitReceived("echo one");
      socket.sendText("two", true).join();
      Duration timeout = Duration.ofSeconds(60);
      Await.until(timeout, "the second message is delayed", () -> remaining(server) == 1);
      server.replaceRules("rules: [" + added + "]");
      Await.until(timeout, "the new rule is in force", () -> remaining(server) == 9);
      server.post("/v1/check", WS_CALLER);
      socket.abort();
      server.replaceRules("rules: [" + chat + ", " + added + "]");
      Await.until(timeout, "the message is refunded", () -> remaining(server) == 2);
      assertThat(server.post("/v1/peek", WS_CALLER).body())
          .as("the new rule, which the message was not charged for")
          .contains("\"limit\":9,\"remaining\":8,");
    }
  }

  private static long remaining(RunningServer server) {
    return new JsonObject(server.post("/v1/peek", WS_CALLER).body())
        .getJsonArray("rules")
        .getJsonObject(0)
        .getLong("remaining");
  }

  @Test
  void fragmentedMessage_isOneMessage() {
    String rules = "rules: [{id: chat, match: {method: WS}, per: [ip], limit: 2/hour}]";
    try (RunningServer server = gateway(rules)) {
      RecordingWebSocketListener ear = new RecordingWebSocketListener();
      WebSocket socket = connect(server, "/chat", ear);
      for (int i = 0; i < 9; i++) {
        socket.sendText("p", false).join();
        socket.sendPing(ByteBuffer.wrap(new byte[3])).join();
      }
      socket.sendText("p", true).join();
      ear.awaitReceived("echo pppppppppp");
      socket.sendText("two", true).join();
      ear.awaitReceived("echo two");
      socket.sendText("three", true).join();
      ear.awaitReceived("close 1008 refused by chat");
    }
  }

  @Test
  void declinedHandshake_isForwarded() {
    try (RunningServer server = gateway(GatewayProxyTest.NO_RULES)) {
      assertThatThrownBy(() -> connect(server, "/no", new RecordingWebSocketListener()))
          .cause()
          .isInstanceOfSatisfying(
              WebSocketHandshakeException.class,
              e -> assertThat(e.getResponse().statusCode()).isEqualTo(418));
    }
  }

  @Test
  void incompleteHandshake_isForwardedWithoutTheUpgrade() {
    try (RunningServer server = gateway(GatewayProxyTest.NO_RULES)) {
      String answer =
          RawHttpClient.exchange(
              server.port("gateway"),
              "GET /x HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n");
      assertThat(answer).startsWith("HTTP/1.1 200").endsWith("plain");
    }
  }
}
