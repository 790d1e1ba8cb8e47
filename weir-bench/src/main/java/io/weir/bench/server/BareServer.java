package io.weir.bench.server;

import io.vertx.core.AbstractVerticle;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.util.concurrent.atomic.AtomicInteger;

/** Reads a body and answers with one of the size of a decision, deciding nothing. */
final class BareServer extends AbstractVerticle {
  private static final CharSequence JSON = HttpHeaders.createOptimized("application/json");
  private static final Buffer ANSWER =
      Buffer.buffer(
          "{\"allowed\":true,\"degraded\":false,\"delay_ms\":0,\"retry_after_ms\":0,"
              + "\"revision\":1,\"rules\":[{\"id\":\"api\",\"allowed\":true,\"shadow\":false,"
              + "\"limit\":1000000,\"remaining\":999999,\"reset_ms\":12000,\"retry_after_ms\":0}]}");
  private static final AtomicInteger PORT = new AtomicInteger();

  public static void main(String[] args) throws Exception {
    Vertx vertx = Vertx.vertx(new VertxOptions().setPreferNativeTransport(true));
    int loops = Runtime.getRuntime().availableProcessors();
    vertx
        .deployVerticle(BareServer::new, new DeploymentOptions().setInstances(loops))
        .toCompletionStage()
        .toCompletableFuture()
        .get();
    System.out.println("  http     http://127.0.0.1:" + PORT.get());
    System.out.println("  admin    closed");
  }

  @Override
  public void start(Promise<Void> started) {
    vertx
        .createHttpServer()
        .requestHandler(BareServer::answer)
        .listen(-1, "127.0.0.1")
        .onSuccess(server -> PORT.set(server.actualPort()))
        .<Void>mapEmpty()
        .onComplete(started);
  }

  private static void answer(HttpServerRequest request) {
    request
        .body()
        .onSuccess(body -> request.response().putHeader("content-type", JSON).end(ANSWER));
  }
}
