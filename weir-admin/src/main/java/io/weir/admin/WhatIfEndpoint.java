package io.weir.admin;

import static io.vertx.core.http.HttpMethod.POST;

import io.weir.admin.traffic.PastRequest;
import io.weir.admin.traffic.RecentRequests;
import io.weir.admin.traffic.RuleReplay;
import io.weir.admin.traffic.RuleReplay.ReplayResult;
import io.weir.internal.JsonObjectBuilder;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rule.RuleSource;
import io.weir.store.Clock;
import io.weir.web.ApiRoute;
import java.util.ArrayList;
import java.util.List;

/**
 * Endpoint that replays the last hour to show what a rule would have refused before it is saved.
 */
final class WhatIfEndpoint {
  private static final int MAX_CALLERS = 10;
  private static final int BAR_COUNT = 60;

  private final RuleSource rules;
  private final RecentRequests recentRequests;
  private final Clock clock;
  private final AdminWorkerPool workers;

  WhatIfEndpoint(RuleSource rules, RecentRequests recent, Clock clock, AdminWorkerPool workers) {
    this.rules = rules;
    this.recentRequests = recent;
    this.clock = clock;
    this.workers = workers;
  }

  ApiRoute route() {
    return new ApiRoute(
        POST,
        "/admin/rules/what-if",
        "What a new or changed rule would have refused in the last hour of this node",
        List.of(),
        RuleEndpoints.RULE_CONTENT,
        List.of(200, 413, 415),
        (http, id) ->
            AdminRequest.readBody(
                http,
                RuleEndpoints.RULE_CONTENT,
                workers,
                body -> evaluate(RuleRequestBody.readOne(body.getBytes()))));
  }

  private AdminResponse evaluate(Rule candidate) {
    List<PastRequest> requests = recentRequests.all();
    RuleSet active = rules.current();
    ReplayResult changed =
        RuleReplay.run(requests, RuleReplay.withRule(active, candidate), candidate.id());
    ReplayResult unchanged =
        active.rule(candidate.id()) == null
            ? new ReplayResult(0, 0, List.of())
            : RuleReplay.run(requests, active, candidate.id());
    long oldest = requests.isEmpty() ? clock.micros() : requests.get(0).time();
    long span = clock.micros() - oldest;
    List<String> callers = new ArrayList<>();
    RuleReplay.forEachTopCaller(
        requests,
        changed,
        candidate,
        MAX_CALLERS,
        (example, refused) ->
            callers.add(
                new JsonObjectBuilder()
                    .textMap("caller", CallerLabels.of(candidate.per(), example.request()))
                    .number("refused", refused)
                    .build()));
    return AdminResponse.ok(
        new JsonObjectBuilder()
            .number("span_ms", span / 1000)
            .number("requests", requests.stream().mapToLong(PastRequest::weight).sum())
            .number("one_in", recentRequests.weight())
            .number("left_out", recentRequests.skipped())
            .number("met", changed.matched())
            .number("refused", changed.refused())
            .number("refused_as_is", unchanged.refused())
            .rawJson("bars", barsJson(requests, changed, oldest, span))
            .rawJson("bars_as_is", barsJson(requests, unchanged, oldest, span))
            .rawJsonList("callers", callers)
            .build());
  }

  /** Returns the number of refusals in equal parts of the span. */
  private static String barsJson(
      List<PastRequest> requests, ReplayResult verdict, long oldest, long span) {
    long[] bars = new long[BAR_COUNT];
    for (int refused : verdict.refusedIndexes()) {
      PastRequest request = requests.get(refused);
      long index = (request.time() - oldest) * BAR_COUNT / Math.max(1, span);
      bars[(int) Math.max(0, Math.min(BAR_COUNT - 1, index))] += request.weight();
    }
    List<String> values = new ArrayList<>();
    for (long count : bars) {
      values.add(Long.toString(count));
    }
    return JsonObjectBuilder.jsonArray(values);
  }
}
