package io.weir.server.admin;

import static io.vertx.core.http.HttpMethod.GET;

import io.vertx.core.http.HttpServerRequest;
import io.weir.background.BackgroundTasks;
import io.weir.background.TaskStatus;
import io.weir.server.metrics.Metrics;
import io.weir.server.web.JsonFields;
import io.weir.server.web.Reply;
import io.weir.server.web.Route;
import io.weir.store.Health;
import java.util.List;

/**
 * What anybody may ask: whether the node lives, whether it takes requests, and its metrics.
 *
 * <p>A node without its store decides by postures, so it stays ready and says that it is degraded:
 * taking all nodes out of service at once would make the limiter the outage.
 */
final class HealthCalls {
  private final Node node;
  private final Work work;
  private volatile Stage stage = Stage.STARTING;

  HealthCalls(Node node, Work work) {
    this.node = node;
    this.work = work;
  }

  /** How far a node's life has come. */
  enum Stage {
    STARTING("the node is starting"),
    READY(""),
    STOPPING("the node is stopping");

    private final String reason;

    Stage(String reason) {
      this.reason = reason;
    }
  }

  void enter(Stage next) {
    stage = next;
  }

  List<Route> routes() {
    return List.of(
        new Route(GET, "/health", "Whether it lives", List.of(), List.of(200), this::health),
        new Route(
            GET, "/ready", "Whether it takes requests", List.of(), List.of(200, 503), this::ready),
        new Route(GET, "/metrics", "For Prometheus", List.of(), List.of(200), this::metrics));
  }

  private void health(HttpServerRequest http, String id) {
    Health store = node.store().health();
    long stale = node.rules().stale().toMillis();
    String writeFailure = node.rules().writeFailure();
    List<TaskStatus> unhealthy = BackgroundTasks.unhealthy();
    boolean ok = store.available() && stale == 0 && writeFailure.isEmpty() && unhealthy.isEmpty();
    Reply.json(
        http.response(),
        200,
        new JsonFields()
            .text("status", ok ? "ok" : "degraded")
            .text("node", node.name())
            .json("store", new JsonFields().truth("available", store.available()).end())
            .json(
                "rules",
                new JsonFields()
                    .number("revision", node.rules().current().revision())
                    .number("stale_ms", stale)
                    .truth("writable", writeFailure.isEmpty())
                    .text("write_failure", writeFailure)
                    .end())
            .list("background", unhealthy.stream().map(HealthCalls::json).toList())
            .end());
  }

  private static String json(TaskStatus task) {
    return new JsonFields()
        .text("task", task.name())
        .truth("overdue", task.overdue())
        .number("since_ms", task.since().toMillis())
        .number("failures", task.failures())
        .text("failure", task.failure())
        .end();
  }

  private void ready(HttpServerRequest http, String id) {
    Stage now = stage;
    boolean ready = now == Stage.READY;
    Reply.json(
        http.response(),
        ready ? 200 : 503,
        new JsonFields()
            .truth("ready", ready)
            .truth("degraded", !node.store().health().available())
            .texts("reasons", ready ? List.of() : List.of(now.reason))
            .end());
  }

  private void metrics(HttpServerRequest http, String id) {
    work.answer(http, () -> new Answer(200, Metrics.CONTENT_TYPE, node.metrics().get(), 0));
  }
}
