package io.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.PemKeyCertOptions;
import io.weir.internal.rule.Claim;
import io.weir.internal.rule.Fingerprint;
import io.weir.internal.store.ClaimOutcome;
import io.weir.internal.store.ClaimStore;
import io.weir.internal.store.MemoryStore;
import io.weir.store.Clock;
import io.weir.store.StoreOperation;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The requests that a server sends to itself before it is ready. */
class WarmupTest {
  private final List<String> receivedRequests = new CopyOnWriteArrayList<>();

  @Test
  void listenerOnAllAddresses_receivesWarmupRequests() throws Exception {
    warmUp("0.0.0.0", new HttpServerOptions());
  }

  @Test
  void tlsListener_receivesWarmupRequests(@TempDir Path folder) throws Exception {
    TestCertificate certificate = TestCertificate.create(folder);
    warmUp(
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
  void warmupRequests_chargeNothing(@TempDir Path folder) {
    try (RunningServer server =
        RunningServer.start(folder, "rules: [{id: all, limit: 5/hour}]", "grpc-port", "0")) {
      assertThat(server.post("/v1/check", RunningServer.checkBody("anna", 1)).body())
          .contains("\"remaining\":4");
    }
  }

  @Test
  void storeWithoutAnyRule_receivesPeeksBeforeTheServerIsReady() throws Exception {
    List<StoreOperation> operations = new CopyOnWriteArrayList<>();
    MemoryStore memory = new MemoryStore(Clock.system());
    await(
        Warmup.warmUpStore(
            new ClaimStore() {
              @Override
              public CompletableFuture<ClaimOutcome[]> apply(
                  Claim[] claims, StoreOperation operation, long when) {
                operations.add(operation);
                return memory.apply(claims, operation, when);
              }

              @Override
              public Fingerprint fingerprint() {
                return memory.fingerprint();
              }
            }));
    assertThat(operations).hasSizeBetween(8, 8 * 40).containsOnly(StoreOperation.PEEK);
  }

  private void warmUp(String host, HttpServerOptions options) throws Exception {
    Vertx vertx = Vertx.vertx();
    try {
      HttpListener listener = await(HttpListener.open(vertx, listenerConfig(host, options), 1));
      await(Warmup.warmUpDecisionApi(vertx, listener));
      await(Warmup.warmUpRateLimitService(vertx, listener));
      assertThat(receivedRequests)
          .anyMatch(line -> line.startsWith("HTTP_1_1 /v1/peek {\"attributes\":"))
          .anyMatch(
              line -> line.startsWith("HTTP_2 /envoy.service.ratelimit.v3.RateLimitService/"));
      assertThat(receivedRequests.size()).as("bounded").isBetween(16, 2 * 8 * 80);
    } finally {
      await(vertx.close());
    }
  }

  private HttpListenerConfig listenerConfig(String host, HttpServerOptions options) {
    return new HttpListenerConfig(
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
                          receivedRequests.add(
                              request.version() + " " + request.path() + " " + body);
                          request.response().end();
                        }));
  }

  private static <T> T await(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
  }
}
