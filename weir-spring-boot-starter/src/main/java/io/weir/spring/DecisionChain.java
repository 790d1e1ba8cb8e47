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

  /** A decision; {@code refunded} if a later filter has refused. */
  private record ChainedDecision(Limiter limiter, Decision decision, boolean refunded) {}

  private final Object owner;
  private boolean completed;

  /**
   * @param owner the filter that creates the chain, which encloses all others and completes it
   */
  DecisionChain(Object owner) {
    this.owner = owner;
  }

  /** Adds a decision, refunds the earlier ones if it refuses, and writes the headers. */
  synchronized void add(Limiter limiter, Decision decision, BiConsumer<String, String> headers) {
    if (!decision.allowed()) {
      decisions.replaceAll(DecisionChain::refund);
    }
    decisions.add(new ChainedDecision(limiter, decision, false));
    RateLimitHeaders.write(decisions.stream().map(ChainedDecision::decision).toList(), headers);
  }

  private static ChainedDecision refund(ChainedDecision step) {
    if (!step.refunded()) {
      var unused = step.limiter().refund(step.decision());
    }
    return new ChainedDecision(step.limiter(), step.decision(), true);
  }

  /** Completes all decisions with the status of the response, once and if called by the owner. */
  void complete(Object caller, int status) {
    if (caller == owner) {
      for (ChainedDecision step : takeForCompletion()) {
        var unused =
            step.limiter()
                .complete(step.decision(), step.refunded() ? Limiter.NO_RESPONSE : status);
      }
    }
  }

  private synchronized List<ChainedDecision> takeForCompletion() {
    List<ChainedDecision> all = completed ? List.of() : List.copyOf(decisions);
    completed = true;
    return all;
  }
}
