package io.weir.server;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.weir.admin.AdminApi;
import io.weir.admin.AdministeredNode;
import io.weir.admin.TokenAuth;
import io.weir.gateway.Gateway;
import io.weir.gateway.GatewayContext;
import io.weir.gateway.log.AccessLog;
import io.weir.server.api.DecisionApi;
import io.weir.server.api.OpenPermits;
import io.weir.server.api.OpenReservations;
import io.weir.server.config.ServerConfig;
import io.weir.server.config.ServerSetting;
import io.weir.server.config.ServerSettings;
import io.weir.server.envoy.EnvoyRateLimitService;
import io.weir.server.resp.RespListener;
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
import org.jspecify.annotations.Nullable;

/**
 * A running Weir node: the shared {@code ServerContext} and the listeners for the decision API, the
 * Envoy rate limit service, the gateway and the admin API.
 *
 * <p>On close, the listeners stop accepting connections, requests in flight finish, and then the
 * context is closed.
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
  private @Nullable RespListener respListener;

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
   * Starts a server; returns when every configured listener is open and warmed up.
   *
   * @throws StartException with a one-line message; everything opened so far has been closed
   */
  public static DecisionServer start(ServerConfig config) {
    return new DecisionServer(config);
  }

  private void openDoors() {
    AdminApi admin = openAdminApi();
    openDecisionApi();
    openRateLimitService();
    openRespEndpoint();
    openGateway();
    warmUp();
    admin.markReady();
    closeSequence.add(admin::markStopping);
  }

  /** Opened first and closed last, since it reports on the other listeners. */
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
            new OpenPermits(context.nodeName),
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
      Optional<AccessLog> accessLog =
          GatewaySettingsReader.openAccessLog(config, context.metrics.registry());
      accessLog.ifPresent(closeSequence::add);
      GatewayContext gatewayContext = context.gatewayContext(accessLog);
      closeSequence.add(gatewayContext.messageLimiter());
      Gateway gateway =
          new Gateway(vertx, GatewaySettingsReader.read(config, EVENT_LOOPS), gatewayContext);
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

  private void openRespEndpoint() {
    OptionalInt port = config.get(ServerSettings.RESP_PORT);
    if (port.isEmpty()) {
      return;
    }
    String host = config.get(ServerSettings.RESP_HOST);
    try {
      RespListener opened =
          await(
              RespListener.open(
                  vertx,
                  HttpListenerOptions.of(config),
                  host,
                  port.getAsInt(),
                  EVENT_LOOPS,
                  context.limiter,
                  context.metrics.decisionMetrics(),
                  HeaderTimeoutHandler.HANDLER_NAME));
      respListener = opened;
      closeSequence.add(() -> await(opened.close(config.get(ServerSettings.DRAIN))));
    } catch (ExecutionException | TimeoutException e) {
      throw cannotListen("resp", host, port.getAsInt(), e);
    }
  }

  /** Sends the listeners their first requests; a failure does not prevent the server's start. */
  private void warmUp() {
    List<Future<?>> warmups = new ArrayList<>();
    warmups.add(Warmup.warmUpStore(context.store));
    listener("http").ifPresent(http -> warmups.add(Warmup.warmUpDecisionApi(vertx, http)));
    listener("grpc").ifPresent(grpc -> warmups.add(Warmup.warmUpRateLimitService(vertx, grpc)));
    try {
      await(Future.join(warmups));
    } catch (ExecutionException | TimeoutException e) {
      LOG.log(Level.DEBUG, "warm-up failed; the first requests will be slow", e);
    }
  }

  private void openListener(
      String name,
      ServerSetting<String> host,
      ServerSetting<OptionalInt> port,
      HttpServerOptions options,
      Supplier<Handler<HttpServerRequest>> handlers) {
    OptionalInt portNumber = config.get(port);
    if (portNumber.isEmpty()) {
      return;
    }
    HttpListenerConfig listenerConfig =
        new HttpListenerConfig(name, config.get(host), portNumber.getAsInt(), options, handlers);
    try {
      HttpListener opened = await(HttpListener.open(vertx, listenerConfig, EVENT_LOOPS));
      listeners.add(opened);
      closeSequence.add(() -> await(opened.close(config.get(ServerSettings.DRAIN))));
    } catch (ExecutionException | TimeoutException e) {
      throw cannotListen(name, listenerConfig.host(), listenerConfig.port(), e);
    }
  }

  private static StartException cannotListen(String name, String host, int port, Exception cause) {
    return new StartException(
        "%s: cannot listen on %s:%d (%s); set another --%s-port, or off"
            .formatted(name, host, port, rootCauseMessage(cause), name),
        cause);
  }

  /** Returns the port of a listener; empty if it is closed. */
  public OptionalInt port(String listener) {
    if (listener.equals("resp")) {
      return respListener == null ? OptionalInt.empty() : OptionalInt.of(respListener.port());
    }
    return listener(listener).stream().mapToInt(HttpListener::port).findAny();
  }

  private Optional<HttpListener> listener(String name) {
    return listeners.stream().filter(d -> d.name().equals(name)).findAny();
  }

  /** A summary of the store, the rules and the listeners, as printed at startup. */
  public String summary() {
    boolean isGenerated = config.get(ServerSettings.ADMIN_TOKEN).isEmpty();
    return StartupSummary.render(
        config, context, listeners, port("resp"), isGenerated ? adminToken : "");
  }

  /** Closes everything in the reverse order of opening. */
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
