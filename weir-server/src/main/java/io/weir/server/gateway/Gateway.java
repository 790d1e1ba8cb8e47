package io.weir.server.gateway;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.weir.Decision;
import io.weir.TooManyLimitsException;
import io.weir.http.BadRequestException;
import io.weir.http.IdentifiedRequest;
import io.weir.http.IdentityResolver;
import io.weir.server.config.ServerConfig;
import io.weir.server.config.ServerSettings;
import io.weir.server.web.DecisionHandler;
import io.weir.server.web.VertxHeaders;
import io.weir.store.StoreOperation;
import org.jspecify.annotations.Nullable;

/** The door that limits, then forwards. */
public final class Gateway {
  private final Vertx vertx;
  private final DecisionHandler decisionHandler;
  private final IdentityResolver identity;
  private final GatewayRoutes<Upstream> routes;
  private final UpstreamSettings settings;
  private final DelayedRequests delayedRequests;
  private final WebSocketBridge webSocketBridge;
  private final UpstreamHeaderWriter headerWriter;
  private final MeterRegistry meterRegistry;

  /**
   * @param loops how many event loops it will answer on
   * @throws IllegalArgumentException if an upstream or a route cannot be, saying what to write
   */
  public Gateway(Vertx vertx, ServerConfig config, GatewayContext means, int loops) {
    this.vertx = vertx;
    decisionHandler = means.decisionHandler();
    identity = means.identity();
    routes =
        GatewayRoutes.read(config.get(ServerSettings.UPSTREAM), config.get(ServerSettings.ROUTES));
    settings = UpstreamSettings.of(config, loops);
    delayedRequests =
        new DelayedRequests(
            vertx, decisionHandler.limiter(), config.get(ServerSettings.MAX_WAITING));
    meterRegistry = means.meterRegistry();
    Gauge.builder("weir.gateway.held", delayedRequests, DelayedRequests::count)
        .description("Requests held for their delay")
        .strongReference(true)
        .register(meterRegistry);
    webSocketBridge = new WebSocketBridge(vertx, means.messageRules(), means.messageLimiter());
    headerWriter =
        new UpstreamHeaderWriter(
            identity, "weir-" + means.nodeName(), config.get(ServerSettings.KEEP_HOST));
  }

  /** Whether there is anywhere to forward to. */
  public boolean hasUpstream() {
    return !routes.isEmpty();
  }

  /** What answers on one event loop, with connections of its own. */
  public Handler<HttpServerRequest> handler() {
    TimeoutWheel watchman =
        new TimeoutWheel(
            vertx, Math.min(settings.upstreamTimeoutMillis(), settings.callerTimeoutMillis()));
    GatewayRoutes<UpstreamConnections> to =
        routes.map(
            upstream ->
                new UpstreamConnections(
                    vertx,
                    upstream,
                    settings,
                    new UpstreamMetrics(meterRegistry, upstream),
                    watchman));
    RequestValidator strict = new RequestValidator();
    return http -> handle(http, strict, to);
  }

  private void handle(
      HttpServerRequest http, RequestValidator strict, GatewayRoutes<UpstreamConnections> to) {
    if (strict.isConnectionRejected(http)) {
      return;
    }
    String doubt = RequestValidator.findProblem(http);
    if (doubt != null) {
      strict.reject(http, doubt);
      return;
    }
    try {
      IdentifiedRequest call =
          identity.resolve(
              VertxHeaders.peerAddress(http),
              http.method().name(),
              http.uri(),
              VertxHeaders.of(http));
      ProxiedRequest visit = new ProxiedRequest(http, call, new RequestBodyForwarder(http));
      decisionHandler.decide(
          http, call.request(), StoreOperation.TAKE, decision -> onDecision(visit, decision, to));
    } catch (BadRequestException | TooManyLimitsException e) {
      strict.reject(http, String.valueOf(e.getMessage()));
    }
  }

  private void onDecision(
      ProxiedRequest visit, Decision decision, GatewayRoutes<UpstreamConnections> to) {
    if (visit.http().response().closed()) {
      delayedRequests.refundIfDelayed(decision);
    } else if (!decision.allowed()) {
      GatewayResponses.refuse(visit, decision);
    } else if (visit.call().unauthorized()) {
      GatewayResponses.unauthorized(visit, decision, identity.challenge());
    } else {
      admit(visit, decision, findUpstream(visit.call(), to));
    }
  }

  private static @Nullable UpstreamConnections findUpstream(
      IdentifiedRequest call, GatewayRoutes<UpstreamConnections> to) {
    return to.find(call.request().get("host"), call.endpoint().path());
  }

  private void admit(
      ProxiedRequest visit, Decision decision, @Nullable UpstreamConnections connections) {
    if (connections == null) {
      GatewayResponses.noRoute(visit, decision);
    } else if (headerWriter.isLoop(visit.http())) {
      fail(visit, decision, connections, ForwardingFailure.LOOP);
    } else if (decision.delay().isZero()) {
      forward(visit, decision, connections);
    } else if (!delayedRequests.scheduleAfterDelay(
        visit, decision, () -> forward(visit, decision, connections))) {
      fail(visit, decision, connections, ForwardingFailure.BUSY);
    }
  }

  private static void fail(
      ProxiedRequest visit,
      Decision decision,
      UpstreamConnections connections,
      ForwardingFailure failure) {
    connections.metrics().countFailed(failure);
    GatewayResponses.fail(visit, decision, failure);
  }

  private void forward(ProxiedRequest visit, Decision decision, UpstreamConnections connections) {
    if (WebSocketHandshake.isRequested(visit.http(), visit.requestBody())) {
      WebSocketHandshake tunnel =
          new WebSocketHandshake(headerWriter, connections, webSocketBridge, visit, decision);
      visit.http().response().closeHandler(v -> tunnel.onCallerClosed());
      tunnel.start();
      return;
    }
    UpstreamExchange exchange = new UpstreamExchange(headerWriter, connections, visit, decision);
    visit.http().response().closeHandler(v -> exchange.onCallerClosed());
    exchange.start();
  }
}
