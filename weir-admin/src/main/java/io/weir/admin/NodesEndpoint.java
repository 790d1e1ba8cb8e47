package io.weir.admin;

import static io.vertx.core.http.HttpMethod.GET;

import io.weir.internal.JsonObjectBuilder;
import io.weir.rule.Rule;
import io.weir.rules.database.DatabaseException;
import io.weir.rules.database.EditableRules;
import io.weir.rules.database.NodeRegistry;
import io.weir.web.ApiRoute;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Endpoint that shows the health of this node and of all nodes that share its rule database. Each
 * of those reports its own state to the database every few seconds.
 */
final class NodesEndpoint {
  private final AdministeredNode node;
  private final NodeActivity activity;
  private final AdminWorkerPool workers;

  NodesEndpoint(AdministeredNode node, NodeActivity activity, AdminWorkerPool workers) {
    this.node = node;
    this.activity = activity;
    this.workers = workers;
  }

  ApiRoute route() {
    return new ApiRoute(
        GET,
        "/admin/nodes",
        "Health of this node and of the nodes that share its rule database",
        List.of(),
        List.of(200),
        (http, id) -> workers.respond(http, this::listNodes));
  }

  /** Reports the state of this node to the rule database. */
  void reportAlive() {
    EditableRules.of(node.rules())
        .ifPresent(database -> database.nodes().report(node.name(), selfJson()));
  }

  private AdminResponse listNodes() {
    List<String> nodes = new ArrayList<>();
    nodes.add(new JsonObjectBuilder().number("seen_ms", 0).rawJson("says", selfJson()).build());
    EditableRules database = EditableRules.of(node.rules()).orElse(null);
    String problem = null;
    if (database != null) {
      try {
        database.nodes().list().stream()
            .filter(other -> !other.name().equals(node.name()))
            .forEach(other -> nodes.add(nodeJson(other)));
      } catch (DatabaseException e) {
        problem = e.getMessage();
      }
    }
    return AdminResponse.ok(
        new JsonObjectBuilder()
            .bool("shared", database != null)
            .text("problem", problem)
            .rawJsonList("nodes", nodes)
            .build());
  }

  private static String nodeJson(NodeRegistry.RegisteredNode other) {
    return new JsonObjectBuilder()
        .number("seen_ms", Math.max(0, other.age().toMillis()))
        .rawJson("says", other.body())
        .build();
  }

  private static String consistencyName(Rule rule) {
    return rule.consistency().mode().name().toLowerCase(Locale.ROOT);
  }

  private String selfJson() {
    long now = node.clock().micros();
    Map<String, Long> byConsistency =
        node.rules().current().rules().stream()
            .filter(Rule::enabled)
            .collect(
                Collectors.groupingBy(
                    NodesEndpoint::consistencyName, TreeMap::new, Collectors.counting()));
    JsonObjectBuilder rules = new JsonObjectBuilder();
    byConsistency.forEach(rules::number);
    return new JsonObjectBuilder()
        .text("node", node.name())
        .text("started", Instant.EPOCH.plus(activity.startedMicros, ChronoUnit.MICROS).toString())
        .number("uptime_ms", (now - activity.startedMicros) / 1000)
        .number("revision", node.rules().current().revision())
        .number("rules", node.rules().current().rules().size())
        .number("stale_ms", node.rules().staleness().toMillis())
        .rawJson("store", StatsEndpoints.storeJson(node.store().health()))
        .rawJson("counting", rules.build())
        .number("allowed", activity.allowed.sum())
        .number("refused", activity.refused.sum())
        .build();
  }
}
