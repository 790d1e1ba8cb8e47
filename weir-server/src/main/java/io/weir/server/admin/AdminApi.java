package io.weir.server.admin;

import static io.vertx.core.http.HttpMethod.GET;

import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.weir.background.BackgroundTask;
import io.weir.server.admin.HealthCalls.Stage;
import io.weir.server.dashboard.Dashboard;
import io.weir.server.traffic.Heart;
import io.weir.server.traffic.History;
import io.weir.server.traffic.Pulse;
import io.weir.server.web.OpenApi;
import io.weir.server.web.Reply;
import io.weir.server.web.Route;
import io.weir.server.web.Route.Parameter;
import io.weir.server.web.Router;
import io.weir.store.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The calls of the admin door: a few for anybody, all others behind the token, those that do not
 * exist included.
 */
public final class AdminApi {
  private static final Duration SWEEP_INTERVAL = Duration.ofSeconds(1);

  private final Gate gate;
  private final Activity activity;
  private final Origins origins;
  private final HealthCalls health;
  private final Clock clock;
  final Pulse pulse;
  private final NodeCalls nodes;
  private final Runnable sweep;
  private final Dashboard dashboard = Dashboard.read();
  private final List<Route> open;
  private final List<Route> closed = new ArrayList<>();

  /**
   * @param host where the door listens
   */
  public AdminApi(Vertx vertx, Node node, Activity activity, Gate gate, String host) {
    this.gate = gate;
    this.activity = activity;
    clock = node.clock();
    pulse = new Pulse(activity.counted(), History.of(node.rules()), activity.latency);
    origins = new Origins(host);
    Work work = new Work(vertx);
    health = new HealthCalls(node, work);
    open = health.routes();
    new RuleCalls(node, work).routes().forEach(this::close);
    new RuleEdits(node.rules(), work).routes().forEach(this::close);
    new KeyCalls(node.rules(), work).routes().forEach(this::close);
    new CounterCalls(node, work).routes().forEach(this::close);
    new StatCalls(node, activity, work).routes().forEach(this::close);
    new TrafficCalls(pulse, activity.recent, clock, work).routes().forEach(this::close);
    RefusalCalls refusals = new RefusalCalls(node, work);
    refusals.routes().forEach(this::close);
    sweep = refusals::sweep;
    close(new WhatIf(node.rules(), activity.recent, clock, work).route());
    nodes = new NodeCalls(node, activity, work);
    close(nodes.route());
    new LabCalls(work).routes().forEach(this::close);
    close(
        new Route(
            GET,
            "/admin/openapi.json",
            "This description",
            List.of(),
            List.of(200),
            (http, id) -> describe(http)));
  }

  private void close(Route route) {
    closed.add(route.asking(Parameter.TOKEN).answering(401, 429));
  }

  /** What answers on one event loop. */
  public Handler<HttpServerRequest> handler() {
    Router behind = new Router(closed);
    Router door =
        new Router(
            open,
            http -> {
              if (gate.admits(http)) {
                behind.handle(http);
              }
            });
    Router pages = new Router(dashboard.routes(), door);
    return http -> {
      if (origins.admits(http)) {
        pages.handle(http);
      }
    };
  }

  /**
   * Begins to watch the traffic and to delete refusals that have ended, second by second, until
   * what it returns is closed.
   */
  public AutoCloseable watch() {
    AutoCloseable heart =
        Heart.start(
            pulse,
            clock,
            second -> activity.events.tell("tick", json -> TrafficCalls.tell(second, json)),
            nodes::live);
    BackgroundTask bans =
        BackgroundTask.named("ended-bans", clock::micros)
            .pause(SWEEP_INTERVAL)
            .start(() -> sweep.run());
    return () -> {
      bans.close();
      heart.close();
    };
  }

  /** Says from now on that the node takes requests. */
  public void ready() {
    health.enter(Stage.READY);
  }

  /** Says from now on that the node takes no more requests, and ends the streams of events. */
  public void stopping() {
    health.enter(Stage.STOPPING);
    activity.events.close();
  }

  private void describe(HttpServerRequest http) {
    List<Route> all = new ArrayList<>(open);
    all.addAll(closed);
    Reply.json(http.response(), 200, OpenApi.document("Weir administration", all));
  }
}
