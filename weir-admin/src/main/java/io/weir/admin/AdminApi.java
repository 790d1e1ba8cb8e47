package io.weir.admin;

import static io.vertx.core.http.HttpMethod.GET;

import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.weir.admin.HealthEndpoints.LifecycleStage;
import io.weir.admin.dashboard.Dashboard;
import io.weir.admin.traffic.TrafficHistoryStore;
import io.weir.admin.traffic.TrafficSampler;
import io.weir.admin.traffic.TrafficStats;
import io.weir.internal.background.BackgroundTask;
import io.weir.store.Clock;
import io.weir.web.ApiRoute;
import io.weir.web.ApiRoute.RouteParameter;
import io.weir.web.ApiRouter;
import io.weir.web.OpenApi;
import io.weir.web.ResponseWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Routes of the admin listener. Health and metrics are public; every other path needs the token,
 * including paths that do not exist.
 */
public final class AdminApi {
  private static final Duration BAN_CLEANUP_INTERVAL = Duration.ofSeconds(1);

  private final TokenAuth tokenAuth;
  private final NodeActivity activity;
  private final OriginFilter originFilter;
  private final HealthEndpoints healthEndpoints;
  private final Clock clock;
  final TrafficStats trafficStats;
  private final NodesEndpoint nodesEndpoint;
  private final Runnable deleteEndedBans;
  private final Dashboard dashboard = Dashboard.read();
  private final List<ApiRoute> publicRoutes;
  private final List<ApiRoute> protectedRoutes = new ArrayList<>();

  /**
   * @param host the address the admin listener is bound to
   */
  public AdminApi(
      Vertx vertx, AdministeredNode node, NodeActivity activity, TokenAuth tokenAuth, String host) {
    this.tokenAuth = tokenAuth;
    this.activity = activity;
    clock = node.clock();
    trafficStats =
        new TrafficStats(activity.totals(), TrafficHistoryStore.of(node.rules()), activity.latency);
    originFilter = new OriginFilter(host);
    AdminWorkerPool workers = new AdminWorkerPool(vertx);
    healthEndpoints = new HealthEndpoints(node, workers);
    publicRoutes = healthEndpoints.routes();
    new RuleEndpoints(node, workers).routes().forEach(this::addProtected);
    new RuleEditEndpoints(node.rules(), workers).routes().forEach(this::addProtected);
    new ApiKeyEndpoints(node.rules(), workers).routes().forEach(this::addProtected);
    new CounterEndpoints(node, workers).routes().forEach(this::addProtected);
    new StatsEndpoints(node, activity, workers).routes().forEach(this::addProtected);
    new TrafficEndpoints(trafficStats, activity.recentRequests, clock, workers)
        .routes()
        .forEach(this::addProtected);
    BanEndpoints bans = new BanEndpoints(node, workers);
    bans.routes().forEach(this::addProtected);
    deleteEndedBans = bans::deleteEndedBans;
    addProtected(new WhatIfEndpoint(node.rules(), activity.recentRequests, clock, workers).route());
    nodesEndpoint = new NodesEndpoint(node, activity, workers);
    addProtected(nodesEndpoint.route());
    new LabEndpoints(workers).routes().forEach(this::addProtected);
    addProtected(
        new ApiRoute(
            GET,
            "/admin/openapi.json",
            "The OpenAPI description of this API",
            List.of(),
            List.of(200),
            (http, id) -> sendOpenApi(http)));
  }

  private void addProtected(ApiRoute route) {
    protectedRoutes.add(route.withParameters(RouteParameter.ADMIN_TOKEN).withStatuses(401, 429));
  }

  /** Creates the request handler of one event loop. */
  public Handler<HttpServerRequest> handler() {
    ApiRouter protectedRouter = new ApiRouter(protectedRoutes);
    ApiRouter publicRouter =
        new ApiRouter(
            publicRoutes,
            http -> {
              if (tokenAuth.authenticate(http)) {
                protectedRouter.handle(http);
              }
            });
    ApiRouter rootRouter = new ApiRouter(dashboard.routes(), publicRouter);
    return http -> {
      if (originFilter.check(http)) {
        rootRouter.handle(http);
      }
    };
  }

  /**
   * Starts the background tasks: they sample traffic and delete ended bans every second until the
   * returned handle is closed.
   */
  public AutoCloseable startBackgroundTasks() {
    AutoCloseable sampler =
        TrafficSampler.start(
            trafficStats,
            clock,
            second ->
                activity.events.publish("tick", json -> TrafficEndpoints.writeSecond(second, json)),
            nodesEndpoint::reportAlive);
    BackgroundTask banCleanup =
        BackgroundTask.named("ended-bans", clock::micros)
            .interval(BAN_CLEANUP_INTERVAL)
            .start(() -> deleteEndedBans.run());
    return () -> {
      banCleanup.close();
      sampler.close();
    };
  }

  /** Reports the node as ready from now on. */
  public void markReady() {
    healthEndpoints.setStage(LifecycleStage.READY);
  }

  /** Reports the node as stopping from now on and ends all event streams. */
  public void markStopping() {
    healthEndpoints.setStage(LifecycleStage.STOPPING);
    activity.events.close();
  }

  private void sendOpenApi(HttpServerRequest http) {
    List<ApiRoute> all = new ArrayList<>(publicRoutes);
    all.addAll(protectedRoutes);
    ResponseWriter.writeJson(http.response(), 200, OpenApi.document("Weir administration", all));
  }
}
