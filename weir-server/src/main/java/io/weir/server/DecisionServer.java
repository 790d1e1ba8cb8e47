package io.weir.server;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.weir.server.admin.AdminApi;
import io.weir.server.admin.AdministeredNode;
import io.weir.server.admin.TokenAuth;
import io.weir.server.config.ServerConfig;
import io.weir.server.config.ServerSetting;
import io.weir.server.config.ServerSettings;
import io.weir.server.gateway.Gateway;
import io.weir.server.gateway.GatewayContext;
import io.weir.server.http.DecisionApi;
import io.weir.server.http.OpenReservations;
import io.weir.server.rls.EnvoyRateLimitService;
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
public final class DecisionServer implements AutoCloseable {
  private static final Logger LOG = System.getLogger(DecisionServer.class.getName());
  private static final Duration MAX_WAIT = Duration.ofSeconds(30);
  private static final int EVENT_LOOPS = Runtime.getRuntime().availableProcessors();

  private final ServerConfig config;
  private final CloseSequence closeSequence = new CloseSequence();
  private final Vertx vertx;
  private final ServerContext context;
  private final List<HttpListener> listeners = new ArrayList<>();
  private final String adminToken;

  private DecisionServer(ServerConfig config) {
    this.config = config;
    adminToken = config.get(ServerSettings.ADMIN_TOKEN).orElseGet(TokenAuth::newToken);
    vertx =
        Vertx.builder()
            .withTransport(
                ConnectionLimiter.of(
                    config.get(ServerSettings.MAX_CONNECTIONS),
                    config.get(ServerSettings.REQUEST_TIMEOUT)))
            .build();
    closeSequence.add(() -> await(vertx.close()));
    try {
      context = new ServerContext(config, closeSequence);
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
  public static DecisionServer start(ServerConfig config) {
    return new DecisionServer(config);
  }

  private void openDoors() {
    AdminApi admin = openAdminApi();
    openDecisionApi();
    openRateLimitService();
    openGateway();
    warmUp();
    admin.markReady();
    closeSequence.add(admin::markStopping);
  }

  /** First, and so closed last: it tells of the others. */
  private AdminApi openAdminApi() {
    String host = config.get(ServerSettings.ADMIN_HOST);
    Clock clock = Clock.system();
    AdministeredNode node =
        new AdministeredNode(
            context.nodeName,
            context.rules,
            context.regions,
            context.store,
            context.metrics::scrape,
            clock);
    AdminApi admin =
        new AdminApi(vertx, node, context.activity, new TokenAuth(adminToken, clock), host);
    openListener(
        "admin",
        ServerSettings.ADMIN_HOST,
        ServerSettings.ADMIN_PORT,
        HttpListenerOptions.of(config),
        admin::handler);
    if (port("admin").isPresent()) {
      closeSequence.add(admin.startBackgroundTasks());
    }
    return admin;
  }

  private void openDecisionApi() {
    DecisionApi api =
        new DecisionApi(
            context.decisionHandler,
            context.identity,
            new OpenReservations(context.nodeName, Clock.system()),
            config.get(ServerSettings.AUTH_FORM));
    openListener(
        "http",
        ServerSettings.HTTP_HOST,
        ServerSettings.HTTP_PORT,
        HttpListenerOptions.of(config),
        api::handler);
  }

  private void openGateway() {
    try {
      GatewayContext means = context.gatewayContext();
      closeSequence.add(means.messageLimiter());
      Gateway gateway = new Gateway(vertx, config, means, EVENT_LOOPS);
      if (gateway.hasUpstream()) {
        openListener(
            "gateway",
            ServerSettings.GATEWAY_HOST,
            ServerSettings.GATEWAY_PORT,
            HttpListenerOptions.withMaxResponseTime(
                config, config.get(ServerSettings.UPSTREAM_TIMEOUT)),
            gateway::handler);
      }
    } catch (IllegalArgumentException e) {
      throw new StartException("gateway: " + e.getMessage(), e);
    }
  }

  private void openRateLimitService() {
    if (config.get(ServerSettings.GRPC_PORT).isEmpty()) {
      return;
    }
    EnvoyRateLimitService envoy =
        new EnvoyRateLimitService(
            vertx,
            context.limiter,
            context.metrics.decisionMetrics(),
            new EnvoyRateLimitService.EnvoyServiceOptions(
                config.get(ServerSettings.GRPC_HEADERS),
                config.get(ServerSettings.GRPC_SILENCE),
                () -> true));
    openListener(
        "grpc",
        ServerSettings.GRPC_HOST,
        ServerSettings.GRPC_PORT,
        EnvoyRateLimitService.configure(HttpListenerOptions.of(config)),
        envoy::handler);
  }

  /** Sends the endpoints their first requests; the server is ready whether or not that succeeds. */
  private void warmUp() {
    List<Future<?>> all = new ArrayList<>();
    listener("http").ifPresent(door -> all.add(Warmup.warmUpDecisionApi(vertx, door)));
    listener("grpc").ifPresent(door -> all.add(Warmup.warmUpRateLimitService(vertx, door)));
    try {
      await(Future.join(all));
    } catch (ExecutionException | TimeoutException e) {
      LOG.log(Level.DEBUG, "the first requests will be slow", e);
    }
  }

  private void openListener(
      String name,
      ServerSetting<String> host,
      ServerSetting<OptionalInt> port,
      HttpServerOptions options,
      Supplier<Handler<HttpServerRequest>> handlers) {
    OptionalInt number = config.get(port);
    if (number.isEmpty()) {
      return;
    }
    HttpListenerConfig door =
        new HttpListenerConfig(name, config.get(host), number.getAsInt(), options, handlers);
    try {
      HttpListener open = await(HttpListener.open(vertx, door, EVENT_LOOPS));
      listeners.add(open);
      closeSequence.add(() -> await(open.close(config.get(ServerSettings.DRAIN))));
    } catch (ExecutionException | TimeoutException e) {
      throw new StartException(
          "%s: cannot listen at %s:%d (%s); write another --%s-port, or off"
              .formatted(name, door.host(), door.port(), rootCauseMessage(e), name),
          e);
    }
  }

  /** The port of a door that is open; empty if it is closed. */
  public OptionalInt port(String door) {
    return listener(door).stream().mapToInt(HttpListener::port).findAny();
  }

  private Optional<HttpListener> listener(String name) {
    return listeners.stream().filter(d -> d.name().equals(name)).findAny();
  }

  /** Which store, which rules and which doors, in one screen. */
  public String summary() {
    boolean made = config.get(ServerSettings.ADMIN_TOKEN).isEmpty();
    return StartupSummary.render(config, context, listeners, made ? adminToken : "");
  }

  /** Ends everything, the last begun first. */
  @Override
  public void close() {
    closeSequence.close();
  }

  private static <T> T await(Future<T> future) throws ExecutionException, TimeoutException {
    try {
      return future
          .toCompletionStage()
          .toCompletableFuture()
          .get(MAX_WAIT.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StartException("interrupted", e);
    }
  }

  private static String rootCauseMessage(Throwable e) {
    Throwable cause = e;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return String.valueOf(cause.getMessage());
  }
}
