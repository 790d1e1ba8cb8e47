package io.weir.admin;

import static io.vertx.core.http.HttpMethod.GET;

import io.vertx.core.http.HttpServerRequest;
import io.weir.admin.TopRefusedCallers.RefusedCaller;
import io.weir.internal.JsonObjectBuilder;
import io.weir.rule.Rule;
import io.weir.store.StoreHealth;
import io.weir.web.ApiRoute;
import io.weir.web.ApiRoute.RouteParameter;
import io.weir.web.InvalidInputException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** Endpoints for the statistics of a node since its start, and for its live events. */
final class StatsEndpoints {
  private static final int DEFAULT_TOP = 20;
  private static final int MAX_TOP = 1000;

  private final AdministeredNode node;
  private final NodeActivity activity;
  private final AdminWorkerPool workers;

  StatsEndpoints(AdministeredNode node, NodeActivity activity, AdminWorkerPool workers) {
    this.node = node;
    this.activity = activity;
    this.workers = workers;
  }

  List<ApiRoute> routes() {
    return List.of(
        new ApiRoute(
                GET,
                "/admin/stats",
                "Decisions since the start, most refused callers, and store health",
                List.of(),
                List.of(200),
                this::stats)
            .withParameters(RouteParameter.query("rule"), RouteParameter.query("top")),
        new ApiRoute(
            GET,
            "/admin/events",
            "Live events, as server-sent events",
            List.of(),
            List.of(200, 503),
            this::events));
  }

  private void stats(HttpServerRequest http, String id) {
    String rule = http.params(true).get("rule");
    String top = http.params(true).get("top");
    if (top != null && !top.matches("[0-9]{1,4}")) {
      AdminResponse.badRequest(
              new InvalidInputException("top must be a whole number from 0 to " + MAX_TOP))
          .send(http.response());
      return;
    }
    int count = top == null ? DEFAULT_TOP : Math.min(MAX_TOP, Integer.parseInt(top));
    workers.respond(http, () -> AdminResponse.ok(stats(rule == null ? "" : rule, count)));
  }

  private String stats(String ruleFilter, int count) {
    long now = node.clock().micros();
    Map<String, RuleStats> statsByRule = activity.ruleStats.all();
    statsByRule.keySet().removeIf(rule -> !ruleFilter.isEmpty() && !rule.equals(ruleFilter));
    List<String> rules = new ArrayList<>();
    statsByRule.forEach((rule, stats) -> rules.add(ruleJson(rule, stats)));
    return new JsonObjectBuilder()
        .text("node", node.name())
        .text("started", Instant.EPOCH.plus(activity.startedMicros, ChronoUnit.MICROS).toString())
        .number("uptime_ms", (now - activity.startedMicros) / 1000)
        .number("revision", node.rules().current().revision())
        .number("stale_ms", node.rules().staleness().toMillis())
        .rawJson("store", storeJson(node.store().health()))
        .rawJson("regions", node.regions().toJson())
        .rawJson(
            "requests",
            new JsonObjectBuilder()
                .number("allowed", activity.allowed.sum())
                .number("refused", activity.refused.sum())
                .build())
        .rawJsonList("rules", rules)
        .rawJsonList("top_refused", topRefused(statsByRule, now, count))
        .number("listeners", activity.events.subscriberCount())
        .build();
  }

  static String storeJson(StoreHealth health) {
    return new JsonObjectBuilder()
        .bool("available", health.available())
        .text("state", health.state())
        .number("drift_us", health.clockDrift().toNanos() / 1000)
        .number("degraded", health.degradedDecisions())
        .number("corrupt", health.corruptStates())
        .number("nodes", health.nodes())
        .number("leased", health.leasedPermits())
        .number("untold", health.unsyncedPermits())
        .number("sync_lag_ms", health.syncLag().toMillis())
        .build();
  }

  private static String ruleJson(String rule, RuleStats stats) {
    return new JsonObjectBuilder()
        .text("id", rule)
        .number("allowed", stats.allowed.sum())
        .number("refused", stats.refused.sum())
        .number("shadow_refused", stats.shadowRefused.sum())
        .number("degraded", stats.degraded.sum())
        .build();
  }

  /** A caller and the rule that refused it. */
  private record RefusedCallerOfRule(String rule, RefusedCaller caller) {}

  private List<String> topRefused(Map<String, RuleStats> statsByRule, long now, int count) {
    List<RefusedCallerOfRule> entries = new ArrayList<>();
    statsByRule.forEach(
        (rule, stats) -> {
          TopRefusedCallers callers = stats.refusedCallers;
          if (callers != null) {
            callers
                .top(now, count)
                .forEach(caller -> entries.add(new RefusedCallerOfRule(rule, caller)));
          }
        });
    return entries.stream()
        .sorted(
            Comparator.comparingLong((RefusedCallerOfRule entry) -> entry.caller().refused())
                .reversed())
        .limit(count)
        .map(this::refusedJson)
        .toList();
  }

  private String refusedJson(RefusedCallerOfRule entry) {
    Rule rule = node.rules().current().rule(entry.rule());
    return new JsonObjectBuilder()
        .text("rule", entry.rule())
        .bool("shadow", rule != null && rule.shadow())
        .textMap("caller", entry.caller().attributes())
        .number("refused", entry.caller().refused())
        .number("surely", entry.caller().atLeast())
        .build();
  }

  private void events(HttpServerRequest http, String id) {
    boolean subscribed =
        activity.events.subscribe(
            http,
            json ->
                json.text("node", node.name())
                    .number("revision", node.rules().current().revision())
                    .bool("degraded", !node.store().health().available()));
    if (!subscribed) {
      AdminResponse.error(
              503,
              "not_now",
              "too many event streams are open, or the node is stopping; try again later")
          .send(http.response());
    }
  }
}
