package io.weir.server.admin;

import static io.vertx.core.http.HttpMethod.POST;

import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rule.RuleSource;
import io.weir.server.traffic.PastRequest;
import io.weir.server.traffic.RecentRequests;
import io.weir.server.traffic.Replay;
import io.weir.server.traffic.Replay.Verdict;
import io.weir.server.web.JsonFields;
import io.weir.server.web.Route;
import io.weir.store.Clock;
import java.util.ArrayList;
import java.util.List;

/** The call that says what a rule would have refused of the last hour, before it is made. */
final class WhatIf {
  private static final int CALLERS = 10;
  private static final int BARS = 60;

  private final RuleSource rules;
  private final RecentRequests recent;
  private final Clock clock;
  private final Work work;

  WhatIf(RuleSource rules, RecentRequests recent, Clock clock, Work work) {
    this.rules = rules;
    this.recent = recent;
    this.clock = clock;
    this.work = work;
  }

  Route route() {
    return new Route(
        POST,
        "/admin/rules/what-if",
        "What a rule would have refused of this node's last hour, and what it refuses as it is",
        List.of(),
        RuleCalls.TEXT,
        List.of(200, 413, 415),
        (http, id) ->
            Asked.body(http, RuleCalls.TEXT, work, text -> judge(RuleText.any(text.getBytes()))));
  }

  private Answer judge(Rule candidate) {
    List<PastRequest> requests = recent.all();
    RuleSet now = rules.current();
    Verdict then = Replay.of(requests, Replay.with(now, candidate), candidate.id());
    Verdict asIs =
        now.rule(candidate.id()) == null
            ? new Verdict(0, 0, List.of())
            : Replay.of(requests, now, candidate.id());
    long oldest = requests.isEmpty() ? clock.micros() : requests.get(0).time();
    long span = clock.micros() - oldest;
    List<String> callers = new ArrayList<>();
    Replay.callers(
        requests,
        then,
        candidate,
        CALLERS,
        (example, refused) ->
            callers.add(
                new JsonFields()
                    .json(
                        "caller",
                        CallerNames.json(CallerNames.of(candidate.per(), example.request())))
                    .number("refused", refused)
                    .end()));
    return Answer.ok(
        new JsonFields()
            .number("span_ms", span / 1000)
            .number("requests", requests.stream().mapToLong(PastRequest::weight).sum())
            .number("one_in", recent.weight())
            .number("left_out", recent.leftOut())
            .number("met", then.met())
            .number("refused", then.refused())
            .number("refused_as_is", asIs.refused())
            .json("bars", bars(requests, then, oldest, span))
            .json("bars_as_is", bars(requests, asIs, oldest, span))
            .list("callers", callers)
            .end());
  }

  /** The refusals, in so many equal parts of the time. */
  private static String bars(List<PastRequest> requests, Verdict verdict, long oldest, long span) {
    long[] bars = new long[BARS];
    for (int i : verdict.refusals()) {
      PastRequest one = requests.get(i);
      long at = (one.time() - oldest) * BARS / Math.max(1, span);
      bars[(int) Math.max(0, Math.min(BARS - 1, at))] += one.weight();
    }
    List<String> shown = new ArrayList<>();
    for (long bar : bars) {
      shown.add(Long.toString(bar));
    }
    return JsonFields.array(shown);
  }
}
