package io.weir.server.admin;

import static io.vertx.core.http.HttpMethod.GET;

import io.vertx.core.http.HttpServerRequest;
import io.weir.rules.database.Said;
import io.weir.rules.database.Step;
import io.weir.server.traffic.Busy;
import io.weir.server.traffic.History;
import io.weir.server.traffic.PastRequest;
import io.weir.server.traffic.Pulse;
import io.weir.server.traffic.RecentRequests;
import io.weir.server.traffic.Second;
import io.weir.server.web.BadInput;
import io.weir.server.web.JsonFields;
import io.weir.server.web.Route;
import io.weir.server.web.Route.Parameter;
import io.weir.store.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** The calls that say what came, by time, and who and what came most. */
final class TrafficCalls {
  private static final List<String> STEPS = List.of("second", "minute", "hour");
  private static final List<String> BUSY = List.of("endpoint", "user", "api_key", "ip", "tier");
  private static final long BUSY_SPAN = 5L * 60 * 1_000_000;
  private static final int MOST_BUSY = 20;

  private final Pulse pulse;
  private final RecentRequests recent;
  private final Clock clock;
  private final Work work;

  TrafficCalls(Pulse pulse, RecentRequests recent, Clock clock, Work work) {
    this.pulse = pulse;
    this.recent = recent;
    this.clock = clock;
    this.work = work;
  }

  List<Route> routes() {
    return List.of(
        new Route(
                GET,
                "/admin/traffic",
                "What was said by the second (5 minutes), the minute (a day), the hour (90 days)",
                List.of(),
                List.of(200, 503),
                this::traffic)
            .asking(Parameter.query("step"), Parameter.query("rule")),
        new Route(
            GET,
            "/admin/busy",
            "Who called most in the last five minutes, and what was called",
            List.of(),
            List.of(200),
            (http, id) -> work.answer(http, this::busy)));
  }

  private void traffic(HttpServerRequest http, String id) {
    String asked = http.params(true).get("step");
    String step = asked == null ? "second" : asked;
    String rule = http.params(true).get("rule");
    String only = rule == null ? "" : rule;
    work.answer(
        http,
        () -> {
          if (!STEPS.contains(step)) {
            throw new BadInput(
                "'" + Asked.shown(step) + "' is no step; send second, minute or hour");
          }
          return Answer.ok(
              step.equals("second")
                  ? seconds(only)
                  : steps(only, Step.valueOf(step.toUpperCase(Locale.ROOT))));
        });
  }

  private String steps(String rule, Step step) {
    History history = pulse.history();
    long now = clock.wallMicros() / 1_000_000;
    NavigableMap<Long, Said> kept =
        history.of(rule.isEmpty() ? Said.REQUESTS : rule, step, step.oldest(now));
    List<String> points = new ArrayList<>();
    kept.forEach((began, said) -> points.add(point(began, said)));
    return new JsonFields()
        .number("seconds", step.seconds())
        .truth("survives", history.survives())
        .list("points", points)
        .end();
  }

  /** Of each second all requests, and of each rule the seconds in which it said anything. */
  private String seconds(String only) {
    List<Second> all = pulse.seconds();
    Map<String, List<String>> rules = new TreeMap<>();
    List<String> requests = new ArrayList<>();
    for (Second second : all) {
      requests.add(point(second.time(), second.requests()));
      second.rules().forEach((id, said) -> add(rules, only, id, point(second.time(), said)));
    }
    JsonFields byRule = new JsonFields();
    rules.forEach(byRule::list);
    return new JsonFields()
        .number("seconds", 1)
        .truth("survives", false)
        .list("points", requests)
        .json("rules", byRule.end())
        .list("store", all.stream().map(TrafficCalls::store).toList())
        .end();
  }

  private static void add(Map<String, List<String>> rules, String only, String id, String point) {
    if (only.isEmpty() || only.equals(id)) {
      rules.computeIfAbsent(id, any -> new ArrayList<>()).add(point);
    }
  }

  /** When, allowed, refused, refused by a rule that only looks on. */
  private static String point(long time, Said said) {
    return "[%d,%d,%d,%d]".formatted(time, said.allowed(), said.refused(), said.shadowRefused());
  }

  /** When, answers, their median and 99th percentile in microseconds. */
  private static String store(Second second) {
    return "[%d,%d,%d,%d]"
        .formatted(
            second.time(), second.store().answers(), second.store().median(), second.store().p99());
  }

  /** A second as an event tells it. */
  static void tell(Second second, JsonFields json) {
    json.number("second", second.time());
    json.json("requests", point(second.time(), second.requests()));
    JsonFields rules = new JsonFields();
    second.rules().forEach((id, said) -> rules.json(id, point(second.time(), said)));
    json.json("rules", rules.end());
    json.json("store", store(second)).number("degraded", second.degraded());
  }

  private Answer busy() {
    List<PastRequest> some = recent.since(BUSY_SPAN);
    List<String> lines = new ArrayList<>();
    for (String attribute : BUSY) {
      Busy.by(attribute, some, MOST_BUSY).forEach(line -> lines.add(shown(line)));
    }
    return Answer.ok(
        new JsonFields()
            .number("span_ms", BUSY_SPAN / 1000)
            .number("one_in", recent.weight())
            .list("lines", lines)
            .end());
  }

  private static String shown(Busy.Line line) {
    return new JsonFields()
        .text("attribute", line.attribute())
        .text("value", line.value())
        .number("requests", line.requests())
        .number("refused", line.refused())
        .end();
  }
}
