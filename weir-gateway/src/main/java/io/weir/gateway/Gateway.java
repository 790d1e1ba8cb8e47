package io.weir.gateway;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.weir.Decision;
import io.weir.Limiter;
import io.weir.TooManyLimitsException;
import io.weir.gateway.routing.LoadBalancer.Candidate;
import io.weir.gateway.routing.RouteTarget;
import io.weir.gateway.routing.Upstream;
import io.weir.gateway.routing.UpstreamHealth;
import io.weir.http.BadRequestException;
import io.weir.http.IdentifiedRequest;
import io.weir.http.IdentityResolver;
import io.weir.store.Clock;
import io.weir.web.DecisionHandler;
import io.weir.web.VertxHeaders;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The rate-limiting reverse proxy: decides on each request, then forwards it to an upstream. */
public final class Gateway {
  private final Vertx vertx;
  private final DecisionHandler decisionHandler;
  private final IdentityResolver identity;
  private final GatewayRoutes<RouteTarget> routes;
  private final Map<Upstream, UpstreamHealth> health = new ConcurrentHashMap<>();
  private final Set<Upstream> checked = ConcurrentHashMap.newKeySet();
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
    long shortestTimeout =
        routes.targets().stream()
            .mapToLong(target -> settings.forRoute(target).upstreamTimeoutMillis())
            .reduce(settings.callerTimeoutMillis(), Math::min);
    TimeoutWheel timeoutWheel = new TimeoutWheel(vertx, shortestTimeout);
    GatewayRoutes<UpstreamRoute> routesOfLoop = routes.map(target -> open(target, timeoutWheel));
    RequestSmugglingFilter validator = new RequestSmugglingFilter();
    return http -> handle(http, validator, routesOfLoop);
  }

  /** Opens the upstreams of a route for one event loop; the first also checks their health. */
  private UpstreamRoute open(RouteTarget target, TimeoutWheel timeoutWheel) {
    List<Candidate<UpstreamConnections>> candidates = new ArrayList<>();
    for (RouteTarget.WeightedUpstream weighted : target.upstreams()) {
      Upstream upstream = weighted.upstream();
      UpstreamHealth upstreamHealth = health.computeIfAbsent(upstream, this::newHealth);
      UpstreamConnections connections =
          new UpstreamConnections(
              vertx,
              upstream,
              settings.forRoute(target),
              new UpstreamMetrics(meterRegistry, upstream),
              timeoutWheel);
      candidates.add(
          new Candidate<>(connections, upstream.authority(), weighted.weight(), upstreamHealth));
      target
          .healthCheck()
          .filter(path -> checked.add(upstream))
          .ifPresent(
              path ->
                  HealthChecks.start(
                      vertx, connections, upstreamHealth, path, target.healthInterval()));
    }
    return new UpstreamRoute(target, candidates);
  }

  private UpstreamHealth newHealth(Upstream upstream) {
    UpstreamHealth created = new UpstreamHealth(Clock.system());
    Gauge.builder("weir.gateway.upstream.available", created, h -> h.isAvailable() ? 1 : 0)
        .description("Whether requests are sent to the upstream")
        .tag("upstream", upstream.authority())
        .strongReference(true)
        .register(meterRegistry);
    return created;
  }

  private void handle(
      HttpServerRequest http,
      RequestSmugglingFilter validator,
      GatewayRoutes<UpstreamRoute> routesOfLoop) {
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
      decisionHandler.acquire(
          http,
          proxied.call().request(),
          permit -> {
            proxied.hold(permit);
            onDecision(proxied, permit.decision(), routesOfLoop);
          });
    } catch (BadRequestException | TooManyLimitsException e) {
      validator.reject(http, String.valueOf(e.getMessage()));
    }
  }

  private void onDecision(
      ProxiedRequest proxied, Decision decision, GatewayRoutes<UpstreamRoute> routesOfLoop) {
    proxied.decide(decision);
    if (proxied.http().response().closed()) {
      delayedRequests.refundIfDelayed(decision);
      var unused = decisionHandler.limiter().complete(decision, Limiter.NO_RESPONSE);
    } else if (!decision.allowed()) {
      GatewayResponses.refuse(proxied, decision);
    } else if (proxied.call().unauthorized()) {
      GatewayResponses.unauthorized(proxied, decision, identity.challenge());
    } else {
      admit(proxied, decision, findRoute(proxied.call(), routesOfLoop));
    }
  }

  private static @Nullable UpstreamRoute findRoute(
      IdentifiedRequest call, GatewayRoutes<UpstreamRoute> routesOfLoop) {
    return routesOfLoop.find(
        call.endpoint().method(), call.request().get("host"), call.endpoint().path());
  }

  private void admit(ProxiedRequest proxied, Decision decision, @Nullable UpstreamRoute route) {
    if (route == null) {
      GatewayResponses.noRoute(proxied, decision);
    } else if (headerWriter.isLoop(proxied.http())) {
      fail(proxied, decision, route, ForwardingFailure.LOOP);
    } else if (decision.delay().isZero()) {
      forward(proxied, decision, route);
    } else if (!delayedRequests.scheduleAfterDelay(
        proxied, decision, () -> forward(proxied, decision, route))) {
      fail(proxied, decision, route, ForwardingFailure.BUSY);
    }
  }

  private static void fail(
      ProxiedRequest proxied, Decision decision, UpstreamRoute route, ForwardingFailure failure) {
    route.choose(proxied.call()).connections().metrics().countFailed(failure);
    GatewayResponses.fail(proxied, decision, failure);
  }

  private void forward(ProxiedRequest proxied, Decision decision, UpstreamRoute route) {
    UpstreamExchange exchange = new UpstreamExchange(headerWriter, route, proxied, decision);
    if (WebSocketHandshake.isRequested(proxied.http(), proxied.requestBody())) {
      WebSocketHandshake handshake =
          new WebSocketHandshake(headerWriter, route, exchange, webSocketBridge, proxied, decision);
      proxied.onCallerClosed(handshake::onCallerClosed);
      handshake.start();
      return;
    }
    proxied.onCallerClosed(exchange::onCallerClosed);
    exchange.start();
  }
}
