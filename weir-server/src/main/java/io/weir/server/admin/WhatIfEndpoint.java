package io.weir.server.admin;

import static io.vertx.core.http.HttpMethod.POST;

import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rule.RuleSource;
import io.weir.server.traffic.PastRequest;
import io.weir.server.traffic.RecentRequests;
import io.weir.server.traffic.RuleReplay;
import io.weir.server.traffic.RuleReplay.ReplayResult;
import io.weir.server.web.ApiRoute;
import io.weir.server.web.JsonObjectBuilder;
import io.weir.store.Clock;
import java.util.ArrayList;
import java.util.List;

/** The call that says what a rule would have refused of the last hour, before it is made. */
final class WhatIfEndpoint {
  private static final int MAX_CALLERS = 10;
  private static final int BAR_COUNT = 60;

  private final RuleSource rules;
  private final RecentRequests recentRequests;
  private final Clock clock;
  private final AdminWorkerPool workers;

  WhatIfEndpoint(RuleSource rules, RecentRequests recent, Clock clock, AdminWorkerPool work) {
    this.rules = rules;
    this.recentRequests = recent;
    this.clock = clock;
    this.workers = work;
  }

  ApiRoute route() {
    return new ApiRoute(
        POST,
        "/admin/rules/what-if",
        "What a rule would have refused of this node's last hour, and what it refuses as it is",
        List.of(),
        RuleEndpoints.RULE_CONTENT,
        List.of(200, 413, 415),
        (http, id) ->
            AdminRequest.readBody(
                http,
                RuleEndpoints.RULE_CONTENT,
                workers,
                text -> evaluate(RuleRequestBody.readOne(text.getBytes()))));
  }

  private AdminResponse evaluate(Rule candidate) {
    List<PastRequest> requests = recentRequests.all();
    RuleSet now = rules.current();
    ReplayResult then =
        RuleReplay.run(requests, RuleReplay.withRule(now, candidate), candidate.id());
    ReplayResult asIs =
        now.rule(candidate.id()) == null
            ? new ReplayResult(0, 0, List.of())
            : RuleReplay.run(requests, now, candidate.id());
    long oldest = requests.isEmpty() ? clock.micros() : requests.get(0).time();
    long span = clock.micros() - oldest;
    List<String> callers = new ArrayList<>();
    RuleReplay.forEachTopCaller(
        requests,
        then,
        candidate,
        MAX_CALLERS,
        (example, refused) ->
            callers.add(
                new JsonObjectBuilder()
                    .rawJson(
                        "caller",
                        CallerLabels.toJson(CallerLabels.of(candidate.per(), example.request())))
                    .number("refused", refused)
                    .build()));
    return AdminResponse.ok(
        new JsonObjectBuilder()
            .number("span_ms", span / 1000)
            .number("requests", requests.stream().mapToLong(PastRequest::weight).sum())
            .number("one_in", recentRequests.weight())
            .number("left_out", recentRequests.skipped())
            .number("met", then.matched())
            .number("refused", then.refused())
            .number("refused_as_is", asIs.refused())
            .rawJson("bars", barsJson(requests, then, oldest, span))
            .rawJson("bars_as_is", barsJson(requests, asIs, oldest, span))
            .rawJsonList("callers", callers)
            .build());
  }

  /** The refusals, in so many equal parts of the time. */
  private static String barsJson(
      List<PastRequest> requests, ReplayResult verdict, long oldest, long span) {
    long[] bars = new long[BAR_COUNT];
    for (int i : verdict.refusedIndexes()) {
      PastRequest one = requests.get(i);
      long at = (one.time() - oldest) * BAR_COUNT / Math.max(1, span);
      bars[(int) Math.max(0, Math.min(BAR_COUNT - 1, at))] += one.weight();
    }
    List<String> shown = new ArrayList<>();
    for (long bar : bars) {
      shown.add(Long.toString(bar));
    }
    return JsonObjectBuilder.jsonArray(shown);
  }
}
