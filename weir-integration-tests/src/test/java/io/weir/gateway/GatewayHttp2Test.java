package io.weir.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.RequestOptions;
import io.weir.server.RunningServer;
import io.weir.testkit.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Callers that use HTTP/2 without TLS, with prior knowledge. */
class GatewayHttp2Test {
  @TempDir Path folder;

  private final Vertx vertx = Vertx.vertx();
  private final HttpClientAgent client =
      vertx.createHttpClient(
          new HttpClientOptions()
              .setProtocolVersion(HttpVersion.HTTP_2)
              .setHttp2ClearTextUpgrade(false));

  @AfterEach
  void close() throws Exception {
    vertx.close().toCompletionStage().toCompletableFuture().get(20, TimeUnit.SECONDS);
  }

  private record Http2Response(HttpClientResponse head, String body) {}

  private Future<Http2Response> send(
      RunningServer server, HttpMethod method, String path, Buffer body, String... fields) {
    RequestOptions options =
        new RequestOptions()
            .setHost("127.0.0.1")
            .setPort(server.port("gateway"))
            .setMethod(method)
            .setURI(path);
    return client
        .request(options)
        .compose(
            request -> {
              for (int i = 0; i < fields.length; i += 2) {
                request.headers().add(fields[i], fields[i + 1]);
              }
              return body.length() == 0 ? request.send() : request.send(body);
            })
        .compose(head -> head.body().map(b -> new Http2Response(head, b.toString())));
  }

  private static <T> T await(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
  }

  @Test
  void http2Request_isForwardedAsHttp11() throws Exception {
    try (RecordingUpstream up =
            RecordingUpstream.answering(
                RecordingUpstream.response("200 OK", "ok", "X-Up: Yes", "Connection: keep-alive"));
        RunningServer server =
            GatewayTestServer.start(folder, GatewayProxyTest.NO_RULES, "upstream", up.url())) {
      Http2Response got =
          await(
              send(
                  server,
                  HttpMethod.GET,
                  "/x?y",
                  Buffer.buffer(),
                  "cookie",
                  "a=1",
                  "cookie",
                  "b=2"));
      assertThat(got.head().version()).isEqualTo(HttpVersion.HTTP_2);
      assertThat(got.head().statusCode()).isEqualTo(200);
      assertThat(got.head().getHeader("x-up")).isEqualTo("Yes");
      assertThat(got.body()).isEqualTo("ok");
      assertThat(up.requestHeads().get(0)).startsWith("GET /x?y HTTP/1.1\r\n");
      assertThat(up.lastRequestHeader("Cookie")).isEqualTo("a=1; b=2");
      assertThat(up.lastRequestHeader("Host")).isEqualTo("127.0.0.1:" + server.port("gateway"));
      assertThat(up.lastRequestHeader("Transfer-Encoding")).isEmpty();
      assertThat(up.lastRequestHeader("Content-Length")).isEmpty();
    }
  }

  @Test
  void http2Body_isForwarded() throws Exception {
    String[] receivedBody = new String[1];
    try (RecordingUpstream up =
            RecordingUpstream.withScript(
                (head, in, out) -> {
                  receivedBody[0] = RecordingUpstream.readBody(head, in);
                  out.write(
                      RecordingUpstream.OK_RESPONSE.getBytes(
                          java.nio.charset.StandardCharsets.ISO_8859_1));
                  return true;
                });
        RunningServer server =
            GatewayTestServer.start(folder, GatewayProxyTest.NO_RULES, "upstream", up.url())) {
      String big = "0123456789".repeat(50_000);
      assertThat(await(send(server, HttpMethod.POST, "/", Buffer.buffer(big))).body())
          .isEqualTo("ok");
      assertThat(receivedBody[0]).isEqualTo(big);
      Http2Response chunked =
          await(
              client
                  .request(HttpMethod.POST, server.port("gateway"), "127.0.0.1", "/")
                  .compose(
                      request -> {
                        request.setChunked(true).write("abc");
                        request.end("def");
                        return request.response();
                      })
                  .compose(head -> head.body().map(b -> new Http2Response(head, b.toString()))));
      assertThat(chunked.head().statusCode()).isEqualTo(200);
      assertThat(receivedBody[0]).isEqualTo("abcdef");
    }
  }

  @Test
  void hundredStreams_areForwardedConcurrently() throws Exception {
    CountDownLatch all = new CountDownLatch(100);
    try (RecordingUpstream up =
            RecordingUpstream.withScript(
                (head, in, out) -> {
                  all.countDown();
                  try {
                    assertThat(all.await(20, TimeUnit.SECONDS)).isTrue();
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                  out.write(
                      RecordingUpstream.OK_RESPONSE.getBytes(
                          java.nio.charset.StandardCharsets.ISO_8859_1));
                  return true;
                });
        RunningServer server =
            GatewayTestServer.start(folder, GatewayProxyTest.NO_RULES, "upstream", up.url())) {
      List<Future<Http2Response>> responses =
          IntStream.range(0, 100)
              .mapToObj(i -> send(server, HttpMethod.GET, "/" + i, Buffer.buffer()))
              .toList();
      for (Future<Http2Response> response : responses) {
        assertThat(await(response).body()).isEqualTo("ok");
      }
    }
  }

  @Test
  void responseTrailers_areForwarded() throws Exception {
    String chunked =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX-Sum: 7\r\n\r\n";
    try (RecordingUpstream up = RecordingUpstream.answering(chunked);
        RunningServer server =
            GatewayTestServer.start(folder, GatewayProxyTest.NO_RULES, "upstream", up.url())) {
      Http2Response got =
          await(send(server, HttpMethod.GET, "/", Buffer.buffer(), "te", "trailers"));
      assertThat(got.body()).isEqualTo("abc");
      assertThat(got.head().getTrailer("x-sum")).isEqualTo("7");
    }
  }

  @Test
  void resetStream_releasesTheUpstream() throws Exception {
    CountDownLatch ended = new CountDownLatch(1);
    try (RecordingUpstream up =
            RecordingUpstream.withScript(
                (head, in, out) -> {
                  if (in.read() < 0) {
                    ended.countDown();
                  }
                  return false;
                });
        RunningServer server =
            GatewayTestServer.start(folder, GatewayProxyTest.NO_RULES, "upstream", up.url())) {
      var request = await(client.request(HttpMethod.GET, server.port("gateway"), "127.0.0.1", "/"));
      var unused = request.send();
      Await.until(
          Duration.ofSeconds(60), "the request is forwarded", () -> !up.requestHeads().isEmpty());
      await(request.reset());
      Await.until(
          Duration.ofSeconds(60), "the upstream connection is closed", () -> ended.getCount() == 0);
    }
  }
}
