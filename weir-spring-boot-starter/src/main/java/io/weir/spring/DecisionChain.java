package io.weir.spring;

import io.weir.Decision;
import io.weir.Limiter;
import io.weir.http.RateLimitHeaders;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * The decisions made on one request, at one door after the other. What an earlier door charged is
 * given back if a later one refuses, so that a refusal charges nothing.
 */
final class DecisionChain {
  /** The attribute of a request that its trail is kept in. */
  static final String ATTRIBUTE_NAME = DecisionChain.class.getName();

  private final List<ChainedDecision> decisions = new ArrayList<>(2);

  private record ChainedDecision(Limiter limiter, Decision decision) {}

  /** Adds what was decided now, and says so to the caller. */
  void add(Limiter limiter, Decision decision, BiConsumer<String, String> headers) {
    if (!decision.allowed()) {
      for (ChainedDecision step : decisions) {
        var unused = step.limiter().refund(step.decision());
      }
    }
    decisions.add(new ChainedDecision(limiter, decision));
    RateLimitHeaders.write(decisions.stream().map(ChainedDecision::decision).toList(), headers);
  }
}
