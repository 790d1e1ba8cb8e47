package io.weir.gateway;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.weir.Decision;
import io.weir.Limiter;
import io.weir.TooManyLimitsException;
import io.weir.http.BadRequestException;
import io.weir.http.IdentifiedRequest;
import io.weir.http.IdentityResolver;
import io.weir.store.Clock;
import io.weir.store.StoreOperation;
import io.weir.web.DecisionHandler;
import io.weir.web.VertxHeaders;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The rate-limiting reverse proxy: decides on each request, then forwards it to an upstream. */
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
  private final RequestLifecycle lifecycle;

  /**
   * @throws IllegalArgumentException if an upstream or a route is invalid
   */
  public Gateway(Vertx vertx, GatewaySettings gatewaySettings, GatewayContext context) {
    this.vertx = vertx;
    decisionHandler = context.decisionHandler();
    identity = context.identity();
    routes = GatewayRoutes.read(gatewaySettings.upstream(), gatewaySettings.routes());
    settings = gatewaySettings.upstreams();
    delayedRequests =
        new DelayedRequests(vertx, decisionHandler.limiter(), gatewaySettings.maxDelayedRequests());
    meterRegistry = context.meterRegistry();
    Clock clock = Clock.system();
    List<RequestEndListener> endListeners = new ArrayList<>();
    endListeners.add(new DecisionCompletion(decisionHandler.limiter()));
    context.accessLog().ifPresent(log -> endListeners.add(new AccessLogListener(log, clock)));
    lifecycle = new RequestLifecycle(clock, endListeners, gatewaySettings.reasonHeader());
    Gauge.builder("weir.gateway.held", delayedRequests, DelayedRequests::count)
        .description("Requests held for their delay")
        .strongReference(true)
        .register(meterRegistry);
    webSocketBridge = new WebSocketBridge(vertx, context.messageRules(), context.messageLimiter());
    headerWriter =
        new UpstreamHeaderWriter(
            identity, "weir-" + context.nodeName(), gatewaySettings.keepHost());
  }

  /** Whether at least one upstream is configured. */
  public boolean hasUpstream() {
    return !routes.isEmpty();
  }

  /** Creates the request handler of one event loop, with its own upstream connections. */
  public Handler<HttpServerRequest> handler() {
    TimeoutWheel timeoutWheel =
        new TimeoutWheel(
            vertx, Math.min(settings.upstreamTimeoutMillis(), settings.callerTimeoutMillis()));
    GatewayRoutes<UpstreamConnections> connectionsByRoute =
        routes.map(
            upstream ->
                new UpstreamConnections(
                    vertx,
                    upstream,
                    settings,
                    new UpstreamMetrics(meterRegistry, upstream),
                    timeoutWheel));
    RequestSmugglingFilter validator = new RequestSmugglingFilter();
    return http -> handle(http, validator, connectionsByRoute);
  }

  private void handle(
      HttpServerRequest http,
      RequestSmugglingFilter validator,
      GatewayRoutes<UpstreamConnections> connectionsByRoute) {
    if (validator.isConnectionRejected(http)) {
      return;
    }
    ProxiedRequest proxied = new ProxiedRequest(http, lifecycle);
    String problem = RequestSmugglingFilter.findProblem(http);
    if (problem != null) {
      validator.reject(http, problem);
      return;
    }
    try {
      proxied.identify(
          identity.resolve(
              VertxHeaders.peerAddress(http),
              http.method().name(),
              http.uri(),
              VertxHeaders.of(http)));
      decisionHandler.decide(
          http,
          proxied.call().request(),
          StoreOperation.TAKE,
          decision -> onDecision(proxied, decision, connectionsByRoute));
    } catch (BadRequestException | TooManyLimitsException e) {
      validator.reject(http, String.valueOf(e.getMessage()));
    }
  }

  private void onDecision(
      ProxiedRequest proxied,
      Decision decision,
      GatewayRoutes<UpstreamConnections> connectionsByRoute) {
    proxied.decide(decision);
    if (proxied.http().response().closed()) {
      delayedRequests.refundIfDelayed(decision);
      var unused = decisionHandler.limiter().complete(decision, Limiter.NO_RESPONSE);
    } else if (!decision.allowed()) {
      GatewayResponses.refuse(proxied, decision);
    } else if (proxied.call().unauthorized()) {
      GatewayResponses.unauthorized(proxied, decision, identity.challenge());
    } else {
      admit(proxied, decision, findUpstream(proxied.call(), connectionsByRoute));
    }
  }

  private static @Nullable UpstreamConnections findUpstream(
      IdentifiedRequest call, GatewayRoutes<UpstreamConnections> connectionsByRoute) {
    return connectionsByRoute.find(call.request().get("host"), call.endpoint().path());
  }

  private void admit(
      ProxiedRequest proxied, Decision decision, @Nullable UpstreamConnections connections) {
    if (connections == null) {
      GatewayResponses.noRoute(proxied, decision);
    } else if (headerWriter.isLoop(proxied.http())) {
      fail(proxied, decision, connections, ForwardingFailure.LOOP);
    } else if (decision.delay().isZero()) {
      forward(proxied, decision, connections);
    } else if (!delayedRequests.scheduleAfterDelay(
        proxied, decision, () -> forward(proxied, decision, connections))) {
      fail(proxied, decision, connections, ForwardingFailure.BUSY);
    }
  }

  private static void fail(
      ProxiedRequest proxied,
      Decision decision,
      UpstreamConnections connections,
      ForwardingFailure failure) {
    connections.metrics().countFailed(failure);
    GatewayResponses.fail(proxied, decision, failure);
  }

  private void forward(ProxiedRequest proxied, Decision decision, UpstreamConnections connections) {
    if (WebSocketHandshake.isRequested(proxied.http(), proxied.requestBody())) {
      WebSocketHandshake handshake =
          new WebSocketHandshake(headerWriter, connections, webSocketBridge, proxied, decision);
      proxied.onCallerClosed(handshake::onCallerClosed);
      handshake.start();
      return;
    }
    UpstreamExchange exchange = new UpstreamExchange(headerWriter, connections, proxied, decision);
    proxied.onCallerClosed(exchange::onCallerClosed);
    exchange.start();
  }
}
