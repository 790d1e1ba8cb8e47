package io.weir.spring;

import io.weir.Decision;
import io.weir.Limiter;
import io.weir.http.RateLimitHeaders;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * The decisions of the filters on one request, in order. If a later filter refuses, the permits
 * charged by earlier filters are refunded, so a refused request is not charged.
 */
final class DecisionChain {
  /** The request attribute that holds the chain. */
  static final String ATTRIBUTE_NAME = DecisionChain.class.getName();

  private final List<ChainedDecision> decisions = new ArrayList<>(2);

  private record ChainedDecision(Limiter limiter, Decision decision) {}

  /** Adds a decision, refunds the earlier ones if it refuses, and writes the headers. */
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
