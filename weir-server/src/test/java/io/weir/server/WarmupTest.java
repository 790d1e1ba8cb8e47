package io.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.PemKeyCertOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The requests a server makes of itself before it is ready. */
class WarmupTest {
  private final List<String> heard = new CopyOnWriteArrayList<>();

  @Test
  void theyComeToDoorsThatListenEverywhere() throws Exception {
    rehearse("0.0.0.0", new HttpServerOptions());
  }

  @Test
  void theyComeOverTls(@TempDir Path folder) throws Exception {
    TestCertificate certificate = TestCertificate.make(folder);
    rehearse(
        "127.0.0.1",
        new HttpServerOptions()
            .setSsl(true)
            .setUseAlpn(true)
            .setKeyCertOptions(
                new PemKeyCertOptions()
                    .setCertPath(certificate.cert().toString())
                    .setKeyPath(certificate.key().toString())));
  }

  @Test
  void theyChargeNobody(@TempDir Path folder) {
    try (Running server =
        Running.start(folder, "rules: [{id: all, limit: 5/hour}]", "grpc-port", "0")) {
      assertThat(server.post("/v1/check", Running.of("anna", 1)).body())
          .contains("\"remaining\":4");
    }
  }

  private void rehearse(String host, HttpServerOptions options) throws Exception {
    Vertx vertx = Vertx.vertx();
    try {
      OpenDoor open = soon(OpenDoor.open(vertx, door(host, options), 1));
      soon(Warmup.ofDecisions(vertx, open));
      soon(Warmup.ofEnvoy(vertx, open));
      assertThat(heard)
          .anyMatch(line -> line.startsWith("HTTP_1_1 /v1/peek {\"attributes\":"))
          .anyMatch(
              line -> line.startsWith("HTTP_2 /envoy.service.ratelimit.v3.RateLimitService/"));
      assertThat(heard.size()).as("bounded").isBetween(16, 2 * 8 * 80);
    } finally {
      soon(vertx.close());
    }
  }

  private Door door(String host, HttpServerOptions options) {
    return new Door(
        "any",
        host,
        0,
        options,
        () ->
            request ->
                request
                    .body()
                    .onSuccess(
                        body -> {
                          heard.add(request.version() + " " + request.path() + " " + body);
                          request.response().end();
                        }));
  }

  private static <T> T soon(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
  }
}
