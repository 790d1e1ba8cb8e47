package io.weir.admin;

import io.weir.Decision;
import io.weir.Request;
import io.weir.internal.JsonObjectBuilder;
import io.weir.internal.decision.EvaluatedDecision;
import io.weir.internal.rule.Limit;
import io.weir.internal.store.ClaimOutcome;
import java.util.ArrayList;
import java.util.List;

/** Formats the counters of a caller as JSON. */
final class CounterJson {
  private CounterJson() {}

  static String of(Request caller, Decision peeked) {
    List<String> counters = new ArrayList<>();
    for (int i = 0; i < EvaluatedDecision.of(peeked).claimCount(); i++) {
      counters.add(
          counterJson(
              EvaluatedDecision.of(peeked).claim(i).limit(),
              EvaluatedDecision.of(peeked).outcome(i)));
    }
    return new JsonObjectBuilder()
        .textMap("caller", caller.attributes())
        .bool("degraded", peeked.degraded())
        .rawJsonList("counters", counters)
        .build();
  }

  private static String counterJson(Limit limit, ClaimOutcome outcome) {
    return new JsonObjectBuilder()
        .text("rule", limit.rule().id())
        .text("limit", limit.rate().toString())
        .bool("shadow", limit.shadow())
        .number("most", limit.capacity())
        .number("remaining", outcome.remaining())
        .number("reset_ms", toMillis(outcome.reset()))
        .number("retry_after_ms", toMillis(outcome.retryAfter()))
        .build();
  }

  private static long toMillis(long micros) {
    return (micros + 999) / 1000;
  }
}
