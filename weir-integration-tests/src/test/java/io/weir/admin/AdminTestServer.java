package io.weir.admin;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.json.JsonObject;
import io.weir.admin.regions.RegionShareService;
import io.weir.internal.store.ClaimStore;
import io.weir.internal.store.MemoryStore;
import io.weir.rule.RuleSource;
import io.weir.server.RunningServer;
import io.weir.store.Clock;
import io.weir.testkit.FakeClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.function.BiFunction;

/** An admin server on a free port for tests, with a client for it. */
final class AdminTestServer implements AutoCloseable {
  static final String TOKEN = "open-sesame-open-sesame";
  static final Duration TIMEOUT = Duration.ofSeconds(20);

  final FakeClock clock = new FakeClock();
  final NodeActivity activity = new NodeActivity(clock);
  final ClaimStore store;
  final AdminApi api;
  private final Vertx vertx = Vertx.vertx();
  private final HttpServer server;
  private final HttpClient client =
      HttpClient.newBuilder().connectTimeout(TIMEOUT).version(HttpClient.Version.HTTP_1_1).build();

  AdminTestServer(RuleSource rules) {
    this(rules, (clock, activity) -> new MemoryStore(clock), "127.0.0.1");
  }

  AdminTestServer(
      RuleSource rules, BiFunction<Clock, NodeActivity, ClaimStore> openStore, String host) {
    store = openStore.apply(clock, activity);
    RegionShareService regions = RegionShareService.unlinked(rules, "eu");
    AdministeredNode node =
        new AdministeredNode(
            "node-1", rules, regions, store, () -> "weir_rules_revision 1.0\n", clock);
    api = new AdminApi(vertx, node, activity, new TokenAuth(TOKEN, clock), host);
    server =
        vertx
            .createHttpServer()
            .requestHandler(api.handler())
            .listen(0, "127.0.0.1")
            .toCompletionStage()
            .toCompletableFuture()
            .join();
    api.markReady();
  }

  int port() {
    return server.actualPort();
  }

  URI uri(String path) {
    return URI.create("http://127.0.0.1:" + port() + path);
  }

  /** Sends a GET request with the token. */
  HttpResponse<String> get(String path) {
    return send("GET", path, "");
  }

  /** Sends a GET request with the token and returns the JSON response. */
  JsonObject json(String path) {
    return new JsonObject(get(path).body());
  }

  /** Sends a GET request with the token to a running server and returns the JSON response. */
  static JsonObject json(RunningServer server, String path) {
    URI uri = URI.create("http://127.0.0.1:" + server.port("admin") + path);
    HttpRequest request =
        HttpRequest.newBuilder(uri)
            .header("Authorization", "Bearer " + TOKEN)
            .timeout(TIMEOUT)
            .build();
    try {
      return new JsonObject(
          HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Sends a request with the token; a body is JSON unless a header sets another content type. */
  HttpResponse<String> send(String method, String path, String body, String... headers) {
    HttpRequest.Builder request = request(method, path, body);
    request.header("Authorization", "Bearer " + TOKEN);
    if (!body.isEmpty()) {
      request.header("Content-Type", "application/json");
    }
    if (headers.length > 0) {
      for (int i = 0; i < headers.length; i += 2) {
        request.setHeader(headers[i], headers[i + 1]);
      }
    }
    return exchange(request);
  }

  HttpRequest.Builder request(String method, String path, String body) {
    return HttpRequest.newBuilder(uri(path))
        .timeout(TIMEOUT)
        .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
  }

  HttpResponse<String> exchange(HttpRequest.Builder request) {
    return exchange(request, BodyHandlers.ofString());
  }

  <T> HttpResponse<T> exchange(HttpRequest.Builder request, HttpResponse.BodyHandler<T> handler) {
    try {
      return client.send(request.build(), handler);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    vertx.close().toCompletionStage().toCompletableFuture().join();
    store.close();
  }
}
