package io.weir.server.admin;

import static io.vertx.core.http.HttpMethod.GET;

import io.vertx.core.http.HttpServerRequest;
import io.weir.rule.Rule;
import io.weir.server.admin.RefusedCallers.Caller;
import io.weir.server.web.BadInput;
import io.weir.server.web.JsonFields;
import io.weir.server.web.Route;
import io.weir.server.web.Route.Parameter;
import io.weir.store.Health;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** The calls that say what happens on a node: so far, and from now on. */
final class StatCalls {
  private static final int USUAL_TOP = 20;
  private static final int MOST_TOP = 1000;

  private final Node node;
  private final Activity activity;
  private final Work work;

  StatCalls(Node node, Activity activity, Work work) {
    this.node = node;
    this.activity = activity;
    this.work = work;
  }

  List<Route> routes() {
    return List.of(
        new Route(
                GET,
                "/admin/stats",
                "What was decided since the start, whom rules refused most, how the store fares",
                List.of(),
                List.of(200),
                this::stats)
            .asking(Parameter.query("rule"), Parameter.query("top")),
        new Route(
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
      Answer.bad(new BadInput("top is no number; send one from 0 to " + MOST_TOP))
          .send(http.response());
      return;
    }
    int count = top == null ? USUAL_TOP : Math.min(MOST_TOP, Integer.parseInt(top));
    work.answer(http, () -> Answer.ok(stats(rule == null ? "" : rule, count)));
  }

  private String stats(String only, int count) {
    long now = node.clock().micros();
    Map<String, Tally> tallies = activity.tallies.all();
    tallies.keySet().removeIf(rule -> !only.isEmpty() && !rule.equals(only));
    List<String> rules = new ArrayList<>();
    tallies.forEach((rule, tally) -> rules.add(said(rule, tally)));
    return new JsonFields()
        .text("node", node.name())
        .text("started", Instant.EPOCH.plus(activity.since, ChronoUnit.MICROS).toString())
        .number("uptime_ms", (now - activity.since) / 1000)
        .number("revision", node.rules().current().revision())
        .number("stale_ms", node.rules().stale().toMillis())
        .json("store", store(node.store().health()))
        .json("regions", node.regions().json())
        .json(
            "requests",
            new JsonFields()
                .number("allowed", activity.allowed.sum())
                .number("refused", activity.refused.sum())
                .end())
        .list("rules", rules)
        .list("top_refused", top(tallies, now, count))
        .number("listeners", activity.events.listeners())
        .end();
  }

  static String store(Health health) {
    return new JsonFields()
        .truth("available", health.available())
        .text("state", health.state())
        .number("drift_us", health.drift().toNanos() / 1000)
        .number("degraded", health.degraded())
        .number("corrupt", health.corrupt())
        .number("nodes", health.nodes())
        .number("leased", health.leased())
        .number("untold", health.untold())
        .number("sync_lag_ms", health.syncLag().toMillis())
        .end();
  }

  private static String said(String rule, Tally tally) {
    return new JsonFields()
        .text("id", rule)
        .number("allowed", tally.allowed.sum())
        .number("refused", tally.refused.sum())
        .number("shadow_refused", tally.shadowRefused.sum())
        .number("degraded", tally.degraded.sum())
        .end();
  }

  /** One of those a rule refused most. */
  private record Refused(String rule, Caller caller) {}

  private List<String> top(Map<String, Tally> tallies, long now, int count) {
    List<Refused> all = new ArrayList<>();
    tallies.forEach(
        (rule, tally) -> {
          RefusedCallers callers = tally.callers;
          if (callers != null) {
            callers.most(now, count).forEach(caller -> all.add(new Refused(rule, caller)));
          }
        });
    return all.stream()
        .sorted(Comparator.comparingLong((Refused r) -> r.caller().refused()).reversed())
        .limit(count)
        .map(this::shown)
        .toList();
  }

  private String shown(Refused one) {
    Rule rule = node.rules().current().rule(one.rule());
    return new JsonFields()
        .text("rule", one.rule())
        .truth("shadow", rule != null && rule.shadow())
        .json("caller", CallerNames.json(one.caller().names()))
        .number("refused", one.caller().refused())
        .number("surely", one.caller().surely())
        .end();
  }

  private void events(HttpServerRequest http, String id) {
    boolean open =
        activity.events.open(
            http,
            json ->
                json.text("node", node.name())
                    .number("revision", node.rules().current().revision())
                    .truth("degraded", !node.store().health().available()));
    if (!open) {
      Answer.error(
              503, "not_now", "too many listen already, or the node is stopping; try again later")
          .send(http.response());
    }
  }
}
