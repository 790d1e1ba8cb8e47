package io.weir.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.grpc.ManagedChannel;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.PemKeyCertOptions;
import io.weir.testkit.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** TLS on the gateway, admin and gRPC listeners, and TLS to upstreams. */
class TlsListenersTest {
  private static final String RULES = "rules: [{id: ip, per: [ip], limit: 100/hour}]";

  @TempDir Path folder;

  private RunningServer start(TestCertificate certificate, String... flags) {
    String[] all = new String[flags.length + 4];
    System.arraycopy(flags, 0, all, 4, flags.length);
    all[0] = "tls-cert";
    all[1] = certificate.cert().toString();
    all[2] = "tls-key";
    all[3] = certificate.key().toString();
    return RunningServer.start(folder, RULES, all);
  }

  /** Responds with the caller's scheme, as forwarded by the gateway. */
  private static <T extends HttpServer> T upstream(T server) {
    server.createContext(
        "/",
        exchange -> {
          byte[] body =
              String.valueOf(exchange.getRequestHeaders().getFirst("X-Forwarded-Proto"))
                  .getBytes(UTF_8);
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
    return server;
  }

  private static InetSocketAddress anyPort() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  }

  private static HttpResponse<String> get(
      RunningServer server, TestCertificate certificate, HttpClient.Version version)
      throws Exception {
    HttpClient client =
        HttpClient.newBuilder().sslContext(certificate.trustingContext()).version(version).build();
    URI uri = URI.create("https://127.0.0.1:" + server.port("gateway") + "/");
    return client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
  }

  @Test
  void gatewayOverTls_supportsHttp1AndHttp2() throws Exception {
    TestCertificate certificate = TestCertificate.create(folder);
    HttpServer upstream = upstream(HttpServer.create(anyPort(), 10));
    try (RunningServer server =
        start(
            certificate,
            "gateway-port",
            "0",
            "upstream",
            "http://127.0.0.1:" + upstream.getAddress().getPort())) {
      for (HttpClient.Version version : HttpClient.Version.values()) {
        HttpResponse<String> answer = get(server, certificate, version);
        assertThat(answer.version()).isEqualTo(version);
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo("https");
        assertThat(answer.headers().firstValue("X-RateLimit-Limit")).contains("100");
      }
    } finally {
      upstream.stop(0);
    }
  }

  @Test
  void upstreamWithPrivateCertificate_isReachedOnlyIfTrusted() throws Exception {
    TestCertificate certificate = TestCertificate.create(folder);
    HttpsServer upstream = HttpsServer.create(anyPort(), 10);
    upstream.setHttpsConfigurator(new HttpsConfigurator(certificate.serverContext()));
    upstream(upstream);
    String url = "https://127.0.0.1:" + upstream.getAddress().getPort();
    String authority = certificate.cert().toString();
    try {
      try (RunningServer server =
          start(
              certificate,
              "gateway-port",
              "0",
              "upstream",
              url,
              "gateway-upstream-ca",
              authority)) {
        assertThat(get(server, certificate, HttpClient.Version.HTTP_1_1).statusCode())
            .isEqualTo(200);
      }
      try (RunningServer server = start(certificate, "gateway-port", "0", "upstream", url)) {
        assertThat(get(server, certificate, HttpClient.Version.HTTP_1_1).statusCode())
            .as("its certificate is not trusted")
            .isEqualTo(502);
      }
    } finally {
      upstream.stop(0);
    }
  }

  @Test
  void tlsUpstreamThatOffersHttp2_isReachedOverHttp2() throws Exception {
    TestCertificate certificate = TestCertificate.create(folder);
    Vertx vertx = Vertx.vertx();
    try {
      int port =
          vertx
              .createHttpServer(
                  new HttpServerOptions()
                      .setSsl(true)
                      .setUseAlpn(true)
                      .setKeyCertOptions(
                          new PemKeyCertOptions()
                              .setCertPath(certificate.cert().toString())
                              .setKeyPath(certificate.key().toString())))
              .requestHandler(request -> request.response().end(request.version().name()))
              .listen(0, "127.0.0.1")
              .toCompletionStage()
              .toCompletableFuture()
              .get(30, TimeUnit.SECONDS)
              .actualPort();
      try (RunningServer server =
          start(
              certificate,
              "gateway-port",
              "0",
              "upstream",
              "https://127.0.0.1:" + port,
              "gateway-upstream-ca",
              certificate.cert().toString())) {
        assertThat(get(server, certificate, HttpClient.Version.HTTP_1_1).body())
            .isEqualTo("HTTP_2");
        assertThat(get(server, certificate, HttpClient.Version.HTTP_2).body()).isEqualTo("HTTP_2");
      }
    } finally {
      vertx.close().toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
    }
  }

  @Test
  void slowRequestHeadOverTls_isClosed() throws Exception {
    TestCertificate certificate = TestCertificate.create(folder);
    try (RunningServer server = start(certificate, "request-timeout", "1s");
        SSLSocket socket =
            (SSLSocket)
                certificate
                    .trustingContext()
                    .getSocketFactory()
                    .createSocket(InetAddress.getLoopbackAddress(), server.port("http"))) {
      socket.startHandshake();
      Await.until(
          Duration.ofSeconds(60),
          "the connection is closed",
          () -> {
            try {
              socket.getOutputStream().write('G');
              Await.sleep(Duration.ofMillis(100));
              return false;
            } catch (IOException e) {
              return true;
            }
          });
    }
  }

  @Test
  void grpcListener_usesTls() throws Exception {
    TestCertificate certificate = TestCertificate.create(folder);
    try (RunningServer server = start(certificate, "grpc-port", "0", "grpc-host", "127.0.0.1")) {
      ManagedChannel channel =
          NettyChannelBuilder.forAddress("127.0.0.1", server.port("grpc"))
              .sslContext(
                  GrpcSslContexts.forClient().trustManager(certificate.cert().toFile()).build())
              .build();
      try {
        assertThat(
                HealthGrpc.newBlockingStub(channel)
                    .withDeadlineAfter(60, TimeUnit.SECONDS)
                    .check(HealthCheckRequest.getDefaultInstance())
                    .getStatus())
            .isEqualTo(ServingStatus.SERVING);
      } finally {
        channel.shutdownNow();
      }
    }
  }
}
