package io.weir.admin;

import static io.vertx.core.http.HttpMethod.GET;

import io.vertx.core.http.HttpServerRequest;
import io.weir.admin.traffic.PastRequest;
import io.weir.admin.traffic.RecentRequests;
import io.weir.admin.traffic.TopAttributeValues;
import io.weir.admin.traffic.TrafficHistoryStore;
import io.weir.admin.traffic.TrafficSecond;
import io.weir.admin.traffic.TrafficStats;
import io.weir.internal.JsonObjectBuilder;
import io.weir.rules.database.RuleCounts;
import io.weir.rules.database.TrafficResolution;
import io.weir.store.Clock;
import io.weir.web.ApiRoute;
import io.weir.web.ApiRoute.RouteParameter;
import io.weir.web.InvalidInputException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** Endpoints for traffic over time and for the most frequent callers and endpoints. */
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

  TrafficEndpoints(
      TrafficStats pulse, RecentRequests recent, Clock clock, AdminWorkerPool workers) {
    this.trafficStats = pulse;
    this.recentRequests = recent;
    this.clock = clock;
    this.workers = workers;
  }

  List<ApiRoute> routes() {
    return List.of(
        new ApiRoute(
                GET,
                "/admin/traffic",
                "Decisions by second (5 minutes), by minute (a day) or by hour (90 days)",
                List.of(),
                List.of(200, 503),
                this::traffic)
            .withParameters(RouteParameter.query("step"), RouteParameter.query("rule")),
        new ApiRoute(
            GET,
            "/admin/busy",
            "Most frequent callers and endpoints of the last five minutes",
            List.of(),
            List.of(200),
            (http, id) -> workers.respond(http, this::topValues)));
  }

  private void traffic(HttpServerRequest http, String id) {
    String parameter = http.params(true).get("step");
    String step = parameter == null ? "second" : parameter;
    String rule = http.params(true).get("rule");
    String ruleFilter = rule == null ? "" : rule;
    workers.respond(
        http,
        () -> {
          if (!STEPS.contains(step)) {
            throw new InvalidInputException(
                "step must be second, minute or hour (was '" + AdminRequest.truncate(step) + "')");
          }
          return AdminResponse.ok(
              step.equals("second")
                  ? secondsJson(ruleFilter)
                  : historyJson(
                      ruleFilter, TrafficResolution.valueOf(step.toUpperCase(Locale.ROOT))));
        });
  }

  private String historyJson(String rule, TrafficResolution resolution) {
    TrafficHistoryStore history = trafficStats.history();
    long now = clock.wallMicros() / 1_000_000;
    NavigableMap<Long, RuleCounts> counts =
        history.of(
            rule.isEmpty() ? RuleCounts.WHOLE_REQUESTS : rule,
            resolution,
            resolution.oldestKept(now));
    List<String> points = new ArrayList<>();
    counts.forEach((start, count) -> points.add(point(start, count)));
    return new JsonObjectBuilder()
        .number("seconds", resolution.seconds())
        .bool("survives", history.isPersistent())
        .rawJsonList("points", points)
        .build();
  }

  /** Returns the counts of every second, and per rule those of the seconds with decisions. */
  private String secondsJson(String ruleFilter) {
    List<TrafficSecond> seconds = trafficStats.seconds();
    Map<String, List<String>> rules = new TreeMap<>();
    List<String> requests = new ArrayList<>();
    for (TrafficSecond second : seconds) {
      requests.add(point(second.time(), second.requests()));
      second
          .rules()
          .forEach((id, counts) -> addPoint(rules, ruleFilter, id, point(second.time(), counts)));
    }
    JsonObjectBuilder byRule = new JsonObjectBuilder();
    rules.forEach(byRule::rawJsonList);
    return new JsonObjectBuilder()
        .number("seconds", 1)
        .bool("survives", false)
        .rawJsonList("points", requests)
        .rawJson("rules", byRule.build())
        .rawJsonList("store", seconds.stream().map(TrafficEndpoints::storePoint).toList())
        .build();
  }

  private static void addPoint(
      Map<String, List<String>> rules, String ruleFilter, String id, String point) {
    if (ruleFilter.isEmpty() || ruleFilter.equals(id)) {
      rules.computeIfAbsent(id, any -> new ArrayList<>()).add(point);
    }
  }

  /** Formats a time in seconds with the allowed, refused and shadow-refused counts. */
  private static String point(long time, RuleCounts counts) {
    return "[%d,%d,%d,%d]"
        .formatted(time, counts.allowed(), counts.refused(), counts.shadowRefused());
  }

  /** Formats a second with the store's reply count, median and 99th percentile in microseconds. */
  private static String storePoint(TrafficSecond second) {
    return "[%d,%d,%d,%d]"
        .formatted(
            second.time(),
            second.storeLatency().answers(),
            second.storeLatency().median(),
            second.storeLatency().p99());
  }

  /** Writes the fields of the event that reports one second. */
  static void writeSecond(TrafficSecond second, JsonObjectBuilder json) {
    json.number("second", second.time());
    json.rawJson("requests", point(second.time(), second.requests()));
    JsonObjectBuilder rules = new JsonObjectBuilder();
    second.rules().forEach((id, counts) -> rules.rawJson(id, point(second.time(), counts)));
    json.rawJson("rules", rules.build());
    json.rawJson("store", storePoint(second)).number("degraded", second.degraded());
  }

  private AdminResponse topValues() {
    List<PastRequest> requests = recentRequests.since(RANKING_SPAN_MICROS);
    List<String> values = new ArrayList<>();
    for (String attribute : RANKED_ATTRIBUTES) {
      TopAttributeValues.rank(attribute, requests, MAX_VALUES)
          .forEach(line -> values.add(valueJson(line)));
    }
    return AdminResponse.ok(
        new JsonObjectBuilder()
            .number("span_ms", RANKING_SPAN_MICROS / 1000)
            .number("one_in", recentRequests.weight())
            .rawJsonList("lines", values)
            .build());
  }

  private static String valueJson(TopAttributeValues.AttributeTraffic value) {
    return new JsonObjectBuilder()
        .text("attribute", value.attribute())
        .text("value", value.value())
        .number("requests", value.requests())
        .number("refused", value.refused())
        .build();
  }
}
