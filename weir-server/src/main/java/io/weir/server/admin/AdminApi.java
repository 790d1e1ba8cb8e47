package io.weir.server.admin;

import static io.vertx.core.http.HttpMethod.GET;

import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.weir.background.BackgroundTask;
import io.weir.server.admin.HealthEndpoints.LifecycleStage;
import io.weir.server.dashboard.Dashboard;
import io.weir.server.traffic.TrafficHistoryStore;
import io.weir.server.traffic.TrafficSampler;
import io.weir.server.traffic.TrafficStats;
import io.weir.server.web.ApiRoute;
import io.weir.server.web.ApiRoute.RouteParameter;
import io.weir.server.web.ApiRouter;
import io.weir.server.web.OpenApi;
import io.weir.server.web.ResponseWriter;
import io.weir.store.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The calls of the admin door: a few for anybody, all others behind the token, those that do not
 * exist included.
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
   * @param host where the door listens
   */
  public AdminApi(
      Vertx vertx, AdministeredNode node, NodeActivity activity, TokenAuth gate, String host) {
    this.tokenAuth = gate;
    this.activity = activity;
    clock = node.clock();
    trafficStats =
        new TrafficStats(activity.totals(), TrafficHistoryStore.of(node.rules()), activity.latency);
    originFilter = new OriginFilter(host);
    AdminWorkerPool work = new AdminWorkerPool(vertx);
    healthEndpoints = new HealthEndpoints(node, work);
    publicRoutes = healthEndpoints.routes();
    new RuleEndpoints(node, work).routes().forEach(this::addProtected);
    new RuleEditEndpoints(node.rules(), work).routes().forEach(this::addProtected);
    new ApiKeyEndpoints(node.rules(), work).routes().forEach(this::addProtected);
    new CounterEndpoints(node, work).routes().forEach(this::addProtected);
    new StatsEndpoints(node, activity, work).routes().forEach(this::addProtected);
    new TrafficEndpoints(trafficStats, activity.recentRequests, clock, work)
        .routes()
        .forEach(this::addProtected);
    BanEndpoints refusals = new BanEndpoints(node, work);
    refusals.routes().forEach(this::addProtected);
    deleteEndedBans = refusals::deleteEndedBans;
    addProtected(new WhatIfEndpoint(node.rules(), activity.recentRequests, clock, work).route());
    nodesEndpoint = new NodesEndpoint(node, activity, work);
    addProtected(nodesEndpoint.route());
    new LabEndpoints(work).routes().forEach(this::addProtected);
    addProtected(
        new ApiRoute(
            GET,
            "/admin/openapi.json",
            "This description",
            List.of(),
            List.of(200),
            (http, id) -> sendOpenApi(http)));
  }

  private void addProtected(ApiRoute route) {
    protectedRoutes.add(route.withParameters(RouteParameter.ADMIN_TOKEN).withStatuses(401, 429));
  }

  /** What answers on one event loop. */
  public Handler<HttpServerRequest> handler() {
    ApiRouter behind = new ApiRouter(protectedRoutes);
    ApiRouter door =
        new ApiRouter(
            publicRoutes,
            http -> {
              if (tokenAuth.authenticate(http)) {
                behind.handle(http);
              }
            });
    ApiRouter pages = new ApiRouter(dashboard.routes(), door);
    return http -> {
      if (originFilter.check(http)) {
        pages.handle(http);
      }
    };
  }

  /**
   * Begins to watch the traffic and to delete refusals that have ended, second by second, until
   * what it returns is closed.
   */
  public AutoCloseable startBackgroundTasks() {
    AutoCloseable heart =
        TrafficSampler.start(
            trafficStats,
            clock,
            second ->
                activity.events.publish("tick", json -> TrafficEndpoints.writeSecond(second, json)),
            nodesEndpoint::reportAlive);
    BackgroundTask bans =
        BackgroundTask.named("ended-bans", clock::micros)
            .interval(BAN_CLEANUP_INTERVAL)
            .start(() -> deleteEndedBans.run());
    return () -> {
      bans.close();
      heart.close();
    };
  }

  /** Says from now on that the node takes requests. */
  public void markReady() {
    healthEndpoints.setStage(LifecycleStage.READY);
  }

  /** Says from now on that the node takes no more requests, and ends the streams of events. */
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
