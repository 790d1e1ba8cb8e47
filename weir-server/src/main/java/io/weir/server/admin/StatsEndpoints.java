package io.weir.server.admin;

import static io.vertx.core.http.HttpMethod.GET;

import io.vertx.core.http.HttpServerRequest;
import io.weir.rule.Rule;
import io.weir.server.admin.TopRefusedCallers.RefusedCaller;
import io.weir.server.web.ApiRoute;
import io.weir.server.web.ApiRoute.RouteParameter;
import io.weir.server.web.InvalidInputException;
import io.weir.server.web.JsonObjectBuilder;
import io.weir.store.StoreHealth;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** The calls that say what happens on a node: so far, and from now on. */
final class StatsEndpoints {
  private static final int DEFAULT_TOP = 20;
  private static final int MAX_TOP = 1000;

  private final AdministeredNode node;
  private final NodeActivity activity;
  private final AdminWorkerPool workers;

  StatsEndpoints(AdministeredNode node, NodeActivity activity, AdminWorkerPool work) {
    this.node = node;
    this.activity = activity;
    this.workers = work;
  }

  List<ApiRoute> routes() {
    return List.of(
        new ApiRoute(
                GET,
                "/admin/stats",
                "What was decided since the start, whom rules refused most, how the store fares",
                List.of(),
                List.of(200),
                this::stats)
            .withParameters(RouteParameter.query("rule"), RouteParameter.query("top")),
        new ApiRoute(
            GET,
            "/admin/events",
            "News from now on, as server-sent events",
            List.of(),
            List.of(200, 503),
            this::events));
  }

  private void stats(HttpServerRequest http, String id) {
    String rule = http.params(true).get("rule");
    String top = http.params(true).get("top");
    if (top != null && !top.matches("[0-9]{1,4}")) {
      AdminResponse.badRequest(
              new InvalidInputException("top is no number; send one from 0 to " + MAX_TOP))
          .send(http.response());
      return;
    }
    int count = top == null ? DEFAULT_TOP : Math.min(MAX_TOP, Integer.parseInt(top));
    workers.respond(http, () -> AdminResponse.ok(stats(rule == null ? "" : rule, count)));
  }

  private String stats(String only, int count) {
    long now = node.clock().micros();
    Map<String, RuleStats> tallies = activity.ruleStats.all();
    tallies.keySet().removeIf(rule -> !only.isEmpty() && !rule.equals(only));
    List<String> rules = new ArrayList<>();
    tallies.forEach((rule, tally) -> rules.add(ruleJson(rule, tally)));
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
        .rawJsonList("top_refused", topRefused(tallies, now, count))
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

  private static String ruleJson(String rule, RuleStats tally) {
    return new JsonObjectBuilder()
        .text("id", rule)
        .number("allowed", tally.allowed.sum())
        .number("refused", tally.refused.sum())
        .number("shadow_refused", tally.shadowRefused.sum())
        .number("degraded", tally.degraded.sum())
        .build();
  }

  /** One of those a rule refused most. */
  private record RefusedCallerOfRule(String rule, RefusedCaller caller) {}

  private List<String> topRefused(Map<String, RuleStats> tallies, long now, int count) {
    List<RefusedCallerOfRule> all = new ArrayList<>();
    tallies.forEach(
        (rule, tally) -> {
          TopRefusedCallers callers = tally.refusedCallers;
          if (callers != null) {
            callers
                .top(now, count)
                .forEach(caller -> all.add(new RefusedCallerOfRule(rule, caller)));
          }
        });
    return all.stream()
        .sorted(
            Comparator.comparingLong((RefusedCallerOfRule r) -> r.caller().refused()).reversed())
        .limit(count)
        .map(this::refusedJson)
        .toList();
  }

  private String refusedJson(RefusedCallerOfRule one) {
    Rule rule = node.rules().current().rule(one.rule());
    return new JsonObjectBuilder()
        .text("rule", one.rule())
        .bool("shadow", rule != null && rule.shadow())
        .rawJson("caller", CallerLabels.toJson(one.caller().attributes()))
        .number("refused", one.caller().refused())
        .number("surely", one.caller().atLeast())
        .build();
  }

  private void events(HttpServerRequest http, String id) {
    boolean open =
        activity.events.subscribe(
            http,
            json ->
                json.text("node", node.name())
                    .number("revision", node.rules().current().revision())
                    .bool("degraded", !node.store().health().available()));
    if (!open) {
      AdminResponse.error(
              503, "not_now", "too many listen already, or the node is stopping; try again later")
          .send(http.response());
    }
  }
}
