package io.weir.server;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.weir.server.admin.AdminApi;
import io.weir.server.admin.Gate;
import io.weir.server.admin.Node;
import io.weir.server.config.Config;
import io.weir.server.config.Setting;
import io.weir.server.config.Settings;
import io.weir.server.gateway.Gateway;
import io.weir.server.gateway.Means;
import io.weir.server.http.DecisionApi;
import io.weir.server.http.OpenReservations;
import io.weir.server.rls.RateLimitDoor;
import io.weir.store.Clock;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * A running server: a backend, and the doors to it.
 *
 * <p>It stops in the opposite order: doors take no more, requests under way end, then the backend
 * is closed.
 */
public final class Server implements AutoCloseable {
  private static final Logger LOG = System.getLogger(Server.class.getName());
  private static final Duration LONGEST = Duration.ofSeconds(30);
  private static final int LOOPS = Runtime.getRuntime().availableProcessors();

  private final Config config;
  private final Endings endings = new Endings();
  private final Vertx vertx;
  private final Backend backend;
  private final List<OpenDoor> doors = new ArrayList<>();
  private final String adminToken;

  private Server(Config config) {
    this.config = config;
    adminToken = config.get(Settings.ADMIN_TOKEN).orElseGet(Gate::newToken);
    vertx =
        Vertx.builder()
            .withTransport(
                Doorstep.of(
                    config.get(Settings.MAX_CONNECTIONS), config.get(Settings.REQUEST_TIMEOUT)))
            .build();
    endings.add(() -> wait(vertx.close()));
    try {
      backend = new Backend(config, endings);
      openDoors();
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  /**
   * Starts all that a configuration asks for; returns when every door is open and was tried.
   *
   * @throws StartException with one line for people, everything ended that was begun
   */
  public static Server start(Config config) {
    return new Server(config);
  }

  private void openDoors() {
    AdminApi admin = openAdmin();
    openDecisions();
    openEnvoy();
    openGateway();
    warmUp();
    admin.ready();
    endings.add(admin::stopping);
  }

  /** First, and so closed last: it tells of the others. */
  private AdminApi openAdmin() {
    String host = config.get(Settings.ADMIN_HOST);
    Clock clock = Clock.system();
    Node node =
        new Node(
            backend.node,
            backend.rules,
            backend.regions,
            backend.store,
            backend.metrics::scrape,
            clock);
    AdminApi admin = new AdminApi(vertx, node, backend.activity, new Gate(adminToken, clock), host);
    open("admin", Settings.ADMIN_HOST, Settings.ADMIN_PORT, DoorOptions.of(config), admin::handler);
    if (port("admin").isPresent()) {
      endings.add(admin.watch());
    }
    return admin;
  }

  private void openDecisions() {
    DecisionApi api =
        new DecisionApi(
            backend.desk,
            backend.identity,
            new OpenReservations(backend.node, Clock.system()),
            config.get(Settings.AUTH_FORM));
    open("http", Settings.HTTP_HOST, Settings.HTTP_PORT, DoorOptions.of(config), api::handler);
  }

  private void openGateway() {
    try {
      Means means = backend.gatewayMeans();
      endings.add(means.messages());
      Gateway gateway = new Gateway(vertx, config, means, LOOPS);
      if (gateway.hasUpstream()) {
        open(
            "gateway",
            Settings.GATEWAY_HOST,
            Settings.GATEWAY_PORT,
            DoorOptions.patient(config, config.get(Settings.UPSTREAM_TIMEOUT)),
            gateway::handler);
      }
    } catch (IllegalArgumentException e) {
      throw new StartException("gateway: " + e.getMessage(), e);
    }
  }

  private void openEnvoy() {
    if (config.get(Settings.GRPC_PORT).isEmpty()) {
      return;
    }
    RateLimitDoor envoy =
        new RateLimitDoor(
            vertx,
            backend.limiter,
            backend.metrics.decisions(),
            new RateLimitDoor.Settings(
                config.get(Settings.GRPC_HEADERS), config.get(Settings.GRPC_SILENCE), () -> true));
    open(
        "grpc",
        Settings.GRPC_HOST,
        Settings.GRPC_PORT,
        RateLimitDoor.tune(DoorOptions.of(config)),
        envoy::handler);
  }

  /** Sends the endpoints their first requests; the server is ready whether or not that succeeds. */
  private void warmUp() {
    List<Future<?>> all = new ArrayList<>();
    door("http").ifPresent(door -> all.add(Warmup.ofDecisions(vertx, door)));
    door("grpc").ifPresent(door -> all.add(Warmup.ofEnvoy(vertx, door)));
    try {
      wait(Future.join(all));
    } catch (ExecutionException | TimeoutException e) {
      LOG.log(Level.DEBUG, "the first requests will be slow", e);
    }
  }

  private void open(
      String name,
      Setting<String> host,
      Setting<OptionalInt> port,
      HttpServerOptions options,
      Supplier<Handler<HttpServerRequest>> handlers) {
    OptionalInt number = config.get(port);
    if (number.isEmpty()) {
      return;
    }
    Door door = new Door(name, config.get(host), number.getAsInt(), options, handlers);
    try {
      OpenDoor open = wait(OpenDoor.open(vertx, door, LOOPS));
      doors.add(open);
      endings.add(() -> wait(open.close(config.get(Settings.DRAIN))));
    } catch (ExecutionException | TimeoutException e) {
      throw new StartException(
          "%s: cannot listen at %s:%d (%s); write another --%s-port, or off"
              .formatted(name, door.host(), door.port(), reason(e), name),
          e);
    }
  }

  /** The port of a door that is open; empty if it is closed. */
  public OptionalInt port(String door) {
    return door(door).stream().mapToInt(OpenDoor::port).findAny();
  }

  private Optional<OpenDoor> door(String name) {
    return doors.stream().filter(d -> d.name().equals(name)).findAny();
  }

  /** Which store, which rules and which doors, in one screen. */
  public String summary() {
    boolean made = config.get(Settings.ADMIN_TOKEN).isEmpty();
    return Summary.of(config, backend, doors, made ? adminToken : "");
  }

  /** Ends everything, the last begun first. */
  @Override
  public void close() {
    endings.close();
  }

  private static <T> T wait(Future<T> future) throws ExecutionException, TimeoutException {
    try {
      return future
          .toCompletionStage()
          .toCompletableFuture()
          .get(LONGEST.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StartException("interrupted", e);
    }
  }

  private static String reason(Throwable e) {
    Throwable cause = e;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return String.valueOf(cause.getMessage());
  }
}
