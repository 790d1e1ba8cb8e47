package io.weir.bench.server;

import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.grpc.common.GrpcMessage;
import io.vertx.grpc.server.GrpcServer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The baseline of {@code ./bench server}: reads a request and responds with as many bytes as a
 * decision, over HTTP and gRPC, without deciding.
 */
final class BareServer extends VerticleBase {
  private static final CharSequence JSON = HttpHeaders.createOptimized("application/json");
  private static final Buffer ANSWER =
      Buffer.buffer(
          "{\"allowed\":true,\"degraded\":false,\"delay_ms\":0,\"retry_after_ms\":0,"
              + "\"revision\":1,\"rules\":[{\"id\":\"api\",\"allowed\":true,\"shadow\":false,"
              + "\"limit\":1000000,\"remaining\":999999,\"reset_ms\":12000,\"retry_after_ms\":0}]}");
  private static final int GRPC_ANSWER_BYTES = 300;
  private static final Map<String, Integer> PORTS = new ConcurrentHashMap<>();

  public static void main(String[] args) throws Exception {
    Vertx vertx = Vertx.vertx(new VertxOptions().setPreferNativeTransport(true));
    int loops = Runtime.getRuntime().availableProcessors();
    vertx
        .deployVerticle(BareServer::new, new DeploymentOptions().setInstances(loops))
        .toCompletionStage()
        .toCompletableFuture()
        .get();
    PORTS.forEach(
        (listener, port) -> System.out.println("  " + listener + "     http://127.0.0.1:" + port));
    System.out.println("  admin    closed");
  }

  @Override
  public Future<?> start() {
    GrpcServer grpc = GrpcServer.server(vertx);
    grpc.callHandler(
        call ->
            call.messageHandler(
                message -> {
                  var unused =
                      call.response()
                          .endMessage(
                              GrpcMessage.message(
                                  "identity", Buffer.buffer(new byte[GRPC_ANSWER_BYTES])));
                }));
    return Future.all(listen("http", -1, BareServer::respond), listen("grpc", -2, grpc));
  }

  /** Listens on a free port; a negative port number is shared by all instances. */
  private Future<?> listen(String listener, int port, Handler<HttpServerRequest> handler) {
    return vertx
        .createHttpServer()
        .requestHandler(handler)
        .listen(port, "127.0.0.1")
        .onSuccess(server -> PORTS.put(listener, server.actualPort()));
  }

  private static void respond(HttpServerRequest request) {
    request
        .body()
        .onSuccess(body -> request.response().putHeader("content-type", JSON).end(ANSWER));
  }
}
