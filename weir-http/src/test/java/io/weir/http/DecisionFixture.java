package io.weir.http;

import io.weir.Decision;
import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.testkit.FakeClock;
import java.util.LinkedHashMap;
import java.util.Map;

/** Makes decisions with a real limiter and a fake clock. */
final class DecisionFixture {
  final FakeClock clock = new FakeClock();
  private final Limiter limiter;

  DecisionFixture(Rule... rules) {
    limiter = Weir.limiter(RuleSet.of(rules)).clock(clock).build();
  }

  Decision take(long cost) {
    return limiter.decideNow(Request.of("user", "42").cost(cost));
  }

  /** Returns the header fields of a decision; fails if one is written twice. */
  static Map<String, String> headers(Decision decision) {
    Map<String, String> fields = new LinkedHashMap<>();
    RateLimitHeaders.write(
        decision,
        (name, value) -> {
          if (fields.put(name, value) != null) {
            throw new AssertionError(name + " is written twice");
          }
        });
    return fields;
  }
}
