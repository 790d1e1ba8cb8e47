package io.weir.server;

import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An open HTTP listener: one Vert.x server per event loop, all on the same port.
 *
 * <p>On close, it stops accepting connections at once, waits for requests in flight up to the drain
 * time, and then closes the remaining connections.
 */
final class HttpListener {
  private static final AtomicInteger OPENED_COUNT = new AtomicInteger();

  private final HttpListenerConfig config;
  // Vert.x: a negative port is a random free port, shared by all instances with the same number.
  private final int sharedRandomPort = -OPENED_COUNT.incrementAndGet();
  private final List<HttpServer> servers = new CopyOnWriteArrayList<>();

  private HttpListener(HttpListenerConfig config) {
    this.config = config;
  }

  /** Opens a listener; the future fails if its address cannot be bound. */
  static Future<HttpListener> open(Vertx vertx, HttpListenerConfig config, int loops) {
    HttpListener listener = new HttpListener(config);
    return vertx
        .deployVerticle(listener::verticle, new DeploymentOptions().setInstances(loops))
        .map(id -> listener);
  }

  private VerticleBase verticle() {
    return new VerticleBase() {
      @Override
      public Future<?> start() {
        int port = config.port() == 0 ? sharedRandomPort : config.port();
        return vertx
            .createHttpServer(config.options())
            .connectionHandler(HeaderTimeoutHandler::onConnected)
            .requestHandler(config.handlerFactory().get())
            .listen(port, config.host())
            .onSuccess(servers::add);
      }
    };
  }

  String name() {
    return config.name();
  }

  String host() {
    return config.host();
  }

  int port() {
    return servers.get(0).actualPort();
  }

  boolean isTls() {
    return config.options().isSsl();
  }

  Future<Void> close(Duration drain) {
    return Future.join(
            servers.stream().map(s -> s.shutdown(drain.toMillis(), TimeUnit.MILLISECONDS)).toList())
        .mapEmpty();
  }
}
