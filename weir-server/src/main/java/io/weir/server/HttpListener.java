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
 * A door that is open: its port listens, on every event loop.
 *
 * <p>Closing it takes no more connections at once, lets requests under way end, and then ends the
 * rest.
 */
final class HttpListener {
  private static final AtomicInteger OPENED_COUNT = new AtomicInteger();

  private final HttpListenerConfig config;
  // A negative port is any free one: the same for all instances, and another for each number.
  private final int sharedRandomPort = -OPENED_COUNT.incrementAndGet();
  private final List<HttpServer> servers = new CopyOnWriteArrayList<>();

  private HttpListener(HttpListenerConfig door) {
    this.config = door;
  }

  /** Opens it, and fails if its address cannot be had. */
  static Future<HttpListener> open(Vertx vertx, HttpListenerConfig door, int loops) {
    HttpListener open = new HttpListener(door);
    return vertx
        .deployVerticle(open::verticle, new DeploymentOptions().setInstances(loops))
        .map(id -> open);
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
