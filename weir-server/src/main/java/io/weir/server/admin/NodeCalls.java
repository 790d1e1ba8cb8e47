package io.weir.server.admin;

import static io.vertx.core.http.HttpMethod.GET;

import io.weir.rule.Rule;
import io.weir.rules.database.DatabaseException;
import io.weir.rules.database.DatabaseRules;
import io.weir.rules.database.Nodes;
import io.weir.server.web.JsonFields;
import io.weir.server.web.Route;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The call that says how nodes fare: this one, and all that share its rule database, each as it
 * said of itself a few seconds ago.
 */
final class NodeCalls {
  private final Node node;
  private final Activity activity;
  private final Work work;

  NodeCalls(Node node, Activity activity, Work work) {
    this.node = node;
    this.activity = activity;
    this.work = work;
  }

  Route route() {
    return new Route(
        GET,
        "/admin/nodes",
        "How this node fares, and those it shares its rule database with",
        List.of(),
        List.of(200),
        (http, id) -> work.answer(http, this::all));
  }

  /** Says to the others that this node lives. */
  void live() {
    if (node.rules() instanceof DatabaseRules database) {
      database.nodes().say(node.name(), self());
    }
  }

  private Answer all() {
    List<String> nodes = new ArrayList<>();
    nodes.add(new JsonFields().number("seen_ms", 0).json("says", self()).end());
    boolean shared = node.rules() instanceof DatabaseRules;
    String problem = null;
    if (node.rules() instanceof DatabaseRules database) {
      try {
        database.nodes().list().stream()
            .filter(seen -> !seen.name().equals(node.name()))
            .forEach(seen -> nodes.add(shown(seen)));
      } catch (DatabaseException e) {
        problem = e.getMessage();
      }
    }
    return Answer.ok(
        new JsonFields()
            .truth("shared", shared)
            .text("problem", problem)
            .list("nodes", nodes)
            .end());
  }

  private static String shown(Nodes.Seen seen) {
    return new JsonFields()
        .number("seen_ms", Math.max(0, seen.ago().toMillis()))
        .json("says", seen.body())
        .end();
  }

  private static String counted(Rule rule) {
    return rule.consistency().kind().name().toLowerCase(Locale.ROOT);
  }

  private String self() {
    long now = node.clock().micros();
    Map<String, Long> counting =
        node.rules().current().rules().stream()
            .filter(Rule::enabled)
            .collect(
                Collectors.groupingBy(NodeCalls::counted, TreeMap::new, Collectors.counting()));
    JsonFields rules = new JsonFields();
    counting.forEach(rules::number);
    return new JsonFields()
        .text("node", node.name())
        .text("started", Instant.EPOCH.plus(activity.since, ChronoUnit.MICROS).toString())
        .number("uptime_ms", (now - activity.since) / 1000)
        .number("revision", node.rules().current().revision())
        .number("rules", node.rules().current().rules().size())
        .number("stale_ms", node.rules().stale().toMillis())
        .json("store", StatCalls.store(node.store().health()))
        .json("counting", rules.end())
        .number("allowed", activity.allowed.sum())
        .number("refused", activity.refused.sum())
        .end();
  }
}
