package io.weir.server.admin;

import static io.vertx.core.http.HttpMethod.GET;

import io.vertx.core.http.HttpServerRequest;
import io.weir.rules.database.RuleCounts;
import io.weir.rules.database.TrafficResolution;
import io.weir.server.traffic.PastRequest;
import io.weir.server.traffic.RecentRequests;
import io.weir.server.traffic.TopAttributeValues;
import io.weir.server.traffic.TrafficHistoryStore;
import io.weir.server.traffic.TrafficSecond;
import io.weir.server.traffic.TrafficStats;
import io.weir.server.web.ApiRoute;
import io.weir.server.web.ApiRoute.RouteParameter;
import io.weir.server.web.InvalidInputException;
import io.weir.server.web.JsonObjectBuilder;
import io.weir.store.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** The calls that say what came, by time, and who and what came most. */
final class TrafficEndpoints {
  private static final List<String> STEPS = List.of("second", "minute", "hour");
  private static final List<String> RANKED_ATTRIBUTES =
      List.of("endpoint", "user", "api_key", "ip", "tier");
  private static final long RANKING_SPAN_MICROS = 5L * 60 * 1_000_000;
  private static final int MAX_VALUES = 20;

  private final TrafficStats trafficStats;
  private final RecentRequests recentRequests;
  private final Clock clock;
  private final AdminWorkerPool workers;

  TrafficEndpoints(TrafficStats pulse, RecentRequests recent, Clock clock, AdminWorkerPool work) {
    this.trafficStats = pulse;
    this.recentRequests = recent;
    this.clock = clock;
    this.workers = work;
  }

  List<ApiRoute> routes() {
    return List.of(
        new ApiRoute(
                GET,
                "/admin/traffic",
                "What was said by the second (5 minutes), the minute (a day), the hour (90 days)",
                List.of(),
                List.of(200, 503),
                this::traffic)
            .withParameters(RouteParameter.query("step"), RouteParameter.query("rule")),
        new ApiRoute(
            GET,
            "/admin/busy",
            "Who called most in the last five minutes, and what was called",
            List.of(),
            List.of(200),
            (http, id) -> workers.respond(http, this::topValues)));
  }

  private void traffic(HttpServerRequest http, String id) {
    String asked = http.params(true).get("step");
    String step = asked == null ? "second" : asked;
    String rule = http.params(true).get("rule");
    String only = rule == null ? "" : rule;
    workers.respond(
        http,
        () -> {
          if (!STEPS.contains(step)) {
            throw new InvalidInputException(
                "'" + AdminRequest.truncate(step) + "' is no step; send second, minute or hour");
          }
          return AdminResponse.ok(
              step.equals("second")
                  ? secondsJson(only)
                  : historyJson(only, TrafficResolution.valueOf(step.toUpperCase(Locale.ROOT))));
        });
  }

  private String historyJson(String rule, TrafficResolution step) {
    TrafficHistoryStore history = trafficStats.history();
    long now = clock.wallMicros() / 1_000_000;
    NavigableMap<Long, RuleCounts> kept =
        history.of(rule.isEmpty() ? RuleCounts.WHOLE_REQUESTS : rule, step, step.oldestKept(now));
    List<String> points = new ArrayList<>();
    kept.forEach((began, said) -> points.add(point(began, said)));
    return new JsonObjectBuilder()
        .number("seconds", step.seconds())
        .bool("survives", history.isPersistent())
        .rawJsonList("points", points)
        .build();
  }

  /** Of each second all requests, and of each rule the seconds in which it said anything. */
  private String secondsJson(String only) {
    List<TrafficSecond> all = trafficStats.seconds();
    Map<String, List<String>> rules = new TreeMap<>();
    List<String> requests = new ArrayList<>();
    for (TrafficSecond second : all) {
      requests.add(point(second.time(), second.requests()));
      second.rules().forEach((id, said) -> addPoint(rules, only, id, point(second.time(), said)));
    }
    JsonObjectBuilder byRule = new JsonObjectBuilder();
    rules.forEach(byRule::rawJsonList);
    return new JsonObjectBuilder()
        .number("seconds", 1)
        .bool("survives", false)
        .rawJsonList("points", requests)
        .rawJson("rules", byRule.build())
        .rawJsonList("store", all.stream().map(TrafficEndpoints::storePoint).toList())
        .build();
  }

  private static void addPoint(
      Map<String, List<String>> rules, String only, String id, String point) {
    if (only.isEmpty() || only.equals(id)) {
      rules.computeIfAbsent(id, any -> new ArrayList<>()).add(point);
    }
  }

  /** When, allowed, refused, refused by a rule that only looks on. */
  private static String point(long time, RuleCounts said) {
    return "[%d,%d,%d,%d]".formatted(time, said.allowed(), said.refused(), said.shadowRefused());
  }

  /** When, answers, their median and 99th percentile in microseconds. */
  private static String storePoint(TrafficSecond second) {
    return "[%d,%d,%d,%d]"
        .formatted(
            second.time(),
            second.storeLatency().answers(),
            second.storeLatency().median(),
            second.storeLatency().p99());
  }

  /** A second as an event tells it. */
  static void writeSecond(TrafficSecond second, JsonObjectBuilder json) {
    json.number("second", second.time());
    json.rawJson("requests", point(second.time(), second.requests()));
    JsonObjectBuilder rules = new JsonObjectBuilder();
    second.rules().forEach((id, said) -> rules.rawJson(id, point(second.time(), said)));
    json.rawJson("rules", rules.build());
    json.rawJson("store", storePoint(second)).number("degraded", second.degraded());
  }

  private AdminResponse topValues() {
    List<PastRequest> some = recentRequests.since(RANKING_SPAN_MICROS);
    List<String> lines = new ArrayList<>();
    for (String attribute : RANKED_ATTRIBUTES) {
      TopAttributeValues.rank(attribute, some, MAX_VALUES)
          .forEach(line -> lines.add(valueJson(line)));
    }
    return AdminResponse.ok(
        new JsonObjectBuilder()
            .number("span_ms", RANKING_SPAN_MICROS / 1000)
            .number("one_in", recentRequests.weight())
            .rawJsonList("lines", lines)
            .build());
  }

  private static String valueJson(TopAttributeValues.AttributeTraffic line) {
    return new JsonObjectBuilder()
        .text("attribute", line.attribute())
        .text("value", line.value())
        .number("requests", line.requests())
        .number("refused", line.refused())
        .build();
  }
}
