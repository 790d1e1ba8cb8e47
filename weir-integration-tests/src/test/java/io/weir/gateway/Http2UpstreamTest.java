package io.weir.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.weir.server.RunningServer;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Upstreams that are spoken to in HTTP/2 without TLS. */
class Http2UpstreamTest {
  @TempDir Path folder;

  private final Vertx vertx = Vertx.vertx();
  private final List<HttpServerRequest> received = new CopyOnWriteArrayList<>();
  private final Set<Object> connections = ConcurrentHashMap.newKeySet();

  @AfterEach
  void close() throws Exception {
    await(vertx.close());
  }

  private static <T> T await(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
  }

  private RunningServer gateway(io.vertx.core.Handler<HttpServerRequest> handler) throws Exception {
    HttpServer server =
        await(
            vertx
                .createHttpServer(new HttpServerOptions())
                .requestHandler(
                    request -> {
                      received.add(request);
                      connections.add(request.connection());
                      handler.handle(request);
                    })
                .listen(0, "127.0.0.1"));
    return GatewayTestServer.start(
        folder, GatewayProxyTest.NO_RULES, "upstream", "http2://127.0.0.1:" + server.actualPort());
  }

  @Test
  void http1Request_isForwardedAsHttp2() throws Exception {
    try (RunningServer server =
        gateway(
            request ->
                request
                    .body()
                    .onSuccess(body -> request.response().putHeader("X-Up", "yes").end(body)))) {
      String answer =
          RawHttpClient.exchange(
              server.port("gateway"),
              """
              POST /a?b=c HTTP/1.1
              Host: shop.example:81
              TE: trailers
              Cookie: a=1
              Cookie: b=2
              Connection: close
              Transfer-Encoding: chunked

              3
              abc
              0

              """
                  .replace("\n", "\r\n"));
      assertThat(answer).startsWith("HTTP/1.1 200").containsIgnoringCase("x-up: yes");
      assertThat(answer).contains("abc");
      HttpServerRequest request = received.get(0);
      assertThat(request.version()).isEqualTo(HttpVersion.HTTP_2);
      assertThat(request.uri()).isEqualTo("/a?b=c");
      assertThat(request.authority().toString()).isEqualTo("shop.example:81");
      assertThat(request.headers().getAll("cookie")).containsExactly("a=1; b=2");
      assertThat(request.getHeader("te")).isEqualTo("trailers");
      assertThat(request.headers().contains("connection")).isFalse();
      assertThat(request.headers().contains("transfer-encoding")).isFalse();
      assertThat(request.getHeader("x-forwarded-for")).isEqualTo("127.0.0.1");
    }
  }

  @Test
  void responseWithLengthAndTrailers_keepsBoth() throws Exception {
    try (RunningServer server =
        gateway(
            request -> {
              request.response().putHeader("content-length", "3").write("abc");
              request
                  .response()
                  .putTrailer("x-sum", "7")
                  .putTrailer("set-cookie", "a=b")
                  .putTrailer("x-ratelimit-limit", "1")
                  .end();
            })) {
      var client =
          vertx.createHttpClient(
              new HttpClientOptions()
                  .setProtocolVersion(HttpVersion.HTTP_2)
                  .setHttp2ClearTextUpgrade(false));
      var head =
          await(
              client
                  .request(HttpMethod.GET, server.port("gateway"), "127.0.0.1", "/")
                  .compose(request -> request.send())
                  .compose(answer -> answer.body().map(body -> withBody(answer, body))));
      assertThat(head.getTrailer("x-sum")).isEqualTo("7");
      assertThat(head.trailers().names()).as("forbidden trailers").containsExactly("x-sum");
    }
  }

  @Test
  void concurrentRequests_shareFewConnections() throws Exception {
    List<HttpServerRequest> waiting = new CopyOnWriteArrayList<>();
    try (RunningServer server =
        gateway(
            request -> {
              waiting.add(request);
              if (waiting.size() == 100) {
                waiting.forEach(each -> each.response().end("ok"));
              }
            })) {
      List<RawHttpClient> callers =
          java.util.stream.IntStream.range(0, 100)
              .mapToObj(
                  i ->
                      RawHttpClient.connect(server.port("gateway"))
                          .send("GET / HTTP/1.1\r\nHost: h\r\n\r\n"))
              .toList();
      for (RawHttpClient caller : callers) {
        assertThat(caller.readResponse()).startsWith("HTTP/1.1 200");
        caller.close();
      }
      assertThat(connections.size()).isLessThanOrEqualTo(16);
    }
  }

  @Test
  void resetStream_is502AndOthersGoOn() throws Exception {
    try (RunningServer server =
        gateway(
            request -> {
              if (request.path().equals("/reset")) {
                request.response().reset(2);
              } else if (request.path().equals("/more")) {
                request.response().putHeader("content-length", "1").end("abc");
              } else {
                request.response().end("ok");
              }
            })) {
      int port = server.port("gateway");
      assertThat(exchange(port, "/reset")).startsWith("HTTP/1.1 502");
      assertThat(exchange(port, "/")).startsWith("HTTP/1.1 200");
      assertThat(exchange(port, "/more")).startsWith("HTTP/1.1 502");
      assertThat(exchange(port, "/")).startsWith("HTTP/1.1 200");
    }
  }

  private static HttpClientResponse withBody(HttpClientResponse answer, Buffer body) {
    assertThat(body.toString()).isEqualTo("abc");
    return answer;
  }

  private static String exchange(int port, String path) {
    return RawHttpClient.exchange(
        port, "GET " + path + " HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  }
}
