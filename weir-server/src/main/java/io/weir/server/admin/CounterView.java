package io.weir.server.admin;

import io.weir.Decision;
import io.weir.Request;
import io.weir.rule.Limit;
import io.weir.server.web.JsonFields;
import io.weir.store.Outcome;
import java.util.ArrayList;
import java.util.List;

/** A caller's counters as JSON. */
final class CounterView {
  private CounterView() {}

  static String of(Request caller, Decision peeked) {
    List<String> counters = new ArrayList<>();
    for (int i = 0; i < peeked.size(); i++) {
      counters.add(counter(peeked.claim(i).limit(), peeked.outcome(i)));
    }
    return new JsonFields()
        .json("caller", attributes(caller))
        .truth("degraded", peeked.degraded())
        .list("counters", counters)
        .end();
  }

  private static String counter(Limit limit, Outcome outcome) {
    return new JsonFields()
        .text("rule", limit.rule().id())
        .text("limit", limit.rate().toString())
        .truth("shadow", limit.shadow())
        .number("most", limit.most())
        .number("remaining", outcome.remaining())
        .number("reset_ms", millis(outcome.reset()))
        .number("retry_after_ms", millis(outcome.waitFor()))
        .end();
  }

  private static String attributes(Request caller) {
    JsonFields fields = new JsonFields();
    caller.attributes().forEach(fields::text);
    return fields.end();
  }

  private static long millis(long micros) {
    return (micros + 999) / 1000;
  }
}
