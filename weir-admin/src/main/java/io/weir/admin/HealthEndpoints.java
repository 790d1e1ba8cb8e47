package io.weir.admin;

import static io.vertx.core.http.HttpMethod.GET;

import io.vertx.core.http.HttpServerRequest;
import io.weir.admin.metrics.ServerMetrics;
import io.weir.internal.JsonObjectBuilder;
import io.weir.internal.background.BackgroundTasks;
import io.weir.internal.background.TaskStatus;
import io.weir.store.StoreHealth;
import io.weir.web.ApiRoute;
import io.weir.web.ResponseWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Public endpoints: health, readiness and metrics.
 *
 * <p>Health is always 200 while the process answers, and says what is degraded. Readiness is 200
 * while the node takes traffic. A node whose store is unavailable decides by the fallbacks of its
 * rules, so it stays ready and reports itself as degraded. If it became unready, all nodes would
 * leave service at once and the limiter would cause the outage.
 */
final class HealthEndpoints {
  private final AdministeredNode node;
  private final AdminWorkerPool workers;
  private volatile LifecycleStage stage = LifecycleStage.STARTING;

  HealthEndpoints(AdministeredNode node, AdminWorkerPool workers) {
    this.node = node;
    this.workers = workers;
  }

  /** The lifecycle stage of the node. */
  enum LifecycleStage {
    STARTING("the node is starting"),
    READY(""),
    STOPPING("the node is stopping");

    private final String reason;

    LifecycleStage(String reason) {
      this.reason = reason;
    }
  }

  void setStage(LifecycleStage next) {
    stage = next;
  }

  List<ApiRoute> routes() {
    return List.of(
        new ApiRoute(GET, "/health", "Liveness", List.of(), List.of(200), this::health),
        new ApiRoute(GET, "/ready", "Readiness", List.of(), List.of(200, 503), this::ready),
        new ApiRoute(
            GET,
            "/metrics",
            "Metrics in the Prometheus text format",
            List.of(),
            List.of(200),
            this::metrics));
  }

  private void health(HttpServerRequest http, String id) {
    StoreHealth store = node.store().health();
    long stale = node.rules().staleness().toMillis();
    String writeFailure = node.rules().writeFailure();
    List<TaskStatus> unhealthy = BackgroundTasks.unhealthy();
    List<String> degradations = degradations();
    ResponseWriter.writeJson(
        http.response(),
        200,
        new JsonObjectBuilder()
            .text("status", degradations.isEmpty() ? "ok" : "degraded")
            .textList("degradations", degradations)
            .bool("ready", stage == LifecycleStage.READY)
            .text("node", node.name())
            .rawJson("store", new JsonObjectBuilder().bool("available", store.available()).build())
            .rawJson(
                "rules",
                new JsonObjectBuilder()
                    .number("revision", node.rules().current().revision())
                    .number("stale_ms", stale)
                    .bool("writable", writeFailure.isEmpty())
                    .text("write_failure", writeFailure)
                    .build())
            .rawJsonList("background", unhealthy.stream().map(HealthEndpoints::taskJson).toList())
            .build());
  }

  /**
   * Returns why the node works with reduced guarantees; empty if it does not. Both endpoints report
   * the same.
   */
  private List<String> degradations() {
    List<String> reasons = new ArrayList<>();
    if (!node.store().health().available()) {
      reasons.add("the store is unavailable: rules use their fallback");
    }
    Duration stale = node.rules().staleness();
    if (stale.toMillis() > 0) {
      reasons.add(
          "the rules have not been updated from their source for %d s: the last good rules are used"
              .formatted(stale.toSeconds()));
    }
    String writeFailure = node.rules().writeFailure();
    if (!writeFailure.isEmpty()) {
      reasons.add("rule changes cannot be written: " + writeFailure);
    }
    for (TaskStatus task : BackgroundTasks.unhealthy()) {
      reasons.add(
          "the background task %s %s"
              .formatted(
                  task.name(), task.overdue() ? "is overdue" : "fails: " + task.lastFailure()));
    }
    return reasons;
  }

  private static String taskJson(TaskStatus task) {
    return new JsonObjectBuilder()
        .text("task", task.name())
        .bool("overdue", task.overdue())
        .number("since_ms", task.sinceLastRound().toMillis())
        .number("failures", task.failures())
        .text("failure", task.lastFailure())
        .build();
  }

  private void ready(HttpServerRequest http, String id) {
    LifecycleStage current = stage;
    boolean ready = current == LifecycleStage.READY;
    List<String> degradations = degradations();
    ResponseWriter.writeJson(
        http.response(),
        ready ? 200 : 503,
        new JsonObjectBuilder()
            .bool("ready", ready)
            .textList("reasons", ready ? List.of() : List.of(current.reason))
            .bool("degraded", !degradations.isEmpty())
            .textList("degradations", degradations)
            .build());
  }

  private void metrics(HttpServerRequest http, String id) {
    workers.respond(
        http, () -> new AdminResponse(200, ServerMetrics.CONTENT_TYPE, node.metrics().get(), 0));
  }
}
