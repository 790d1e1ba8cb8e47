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
final class OpenDoor {
  private static final AtomicInteger OPENED = new AtomicInteger();

  private final Door door;
  // A negative port is any free one: the same for all instances, and another for each number.
  private final int anyPort = -OPENED.incrementAndGet();
  private final List<HttpServer> servers = new CopyOnWriteArrayList<>();

  private OpenDoor(Door door) {
    this.door = door;
  }

  /** Opens it, and fails if its address cannot be had. */
  static Future<OpenDoor> open(Vertx vertx, Door door, int loops) {
    OpenDoor open = new OpenDoor(door);
    return vertx
        .deployVerticle(open::verticle, new DeploymentOptions().setInstances(loops))
        .map(id -> open);
  }

  private VerticleBase verticle() {
    return new VerticleBase() {
      @Override
      public Future<?> start() {
        int port = door.port() == 0 ? anyPort : door.port();
        return vertx
            .createHttpServer(door.options())
            .connectionHandler(HeadWatch::connected)
            .requestHandler(door.handlers().get())
            .listen(port, door.host())
            .onSuccess(servers::add);
      }
    };
  }

  String name() {
    return door.name();
  }

  String host() {
    return door.host();
  }

  int port() {
    return servers.get(0).actualPort();
  }

  boolean isTls() {
    return door.options().isSsl();
  }

  Future<Void> close(Duration drain) {
    return Future.join(
            servers.stream().map(s -> s.shutdown(drain.toMillis(), TimeUnit.MILLISECONDS)).toList())
        .mapEmpty();
  }
}
