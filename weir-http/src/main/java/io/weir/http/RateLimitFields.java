package io.weir.http;

import io.weir.Decision;
import io.weir.internal.algorithm.LimitParameters;
import io.weir.internal.decision.EvaluatedDecision;
import io.weir.internal.rule.Limit;
import io.weir.internal.store.ClaimOutcome;

/**
 * Writes limits as the structured fields of draft-ietf-httpapi-ratelimit-headers-10. Each limit is
 * one policy, named by its rule, and also by its unit of time if the rule has several limits.
 */
final class RateLimitFields {
  private static final long MICROS_PER_SECOND = 1_000_000;

  private RateLimitFields() {}

  /**
   * Returns the name of a limit, such as {@code orders}, or {@code orders/hour} if its rule has
   * several limits.
   */
  static String policyName(Decision decision, int i) {
    String id = ruleId(decision, i);
    if (!hasSeveralLimits(decision, i)) {
      return id;
    }
    if (EvaluatedDecision.of(decision).claim(i).limit().isInFlight()) {
      return id + "/in-flight";
    }
    String rate = EvaluatedDecision.of(decision).claim(i).limit().rate().toString();
    return id + rate.substring(rate.indexOf('/'));
  }

  /** Limits of the same rule are adjacent in a decision. */
  private static boolean hasSeveralLimits(Decision decision, int i) {
    return isOfSameRule(decision, i, i - 1) || isOfSameRule(decision, i, i + 1);
  }

  private static boolean isOfSameRule(Decision decision, int i, int k) {
    return k >= 0
        && k < EvaluatedDecision.of(decision).claimCount()
        && ruleId(decision, k).equals(ruleId(decision, i));
  }

  private static String ruleId(Decision decision, int i) {
    return EvaluatedDecision.of(decision).claim(i).limit().rule().id();
  }

  /**
   * Appends the policy of a limit, such as {@code "orders";q=100;w=60}, or {@code
   * "exports";q=20;qu="concurrent-requests"} for an in-flight limit.
   */
  static void appendPolicy(StringBuilder out, Decision decision, int i) {
    EvaluatedDecision evaluated = EvaluatedDecision.of(decision);
    Limit limit = evaluated.claim(i).limit();
    LimitParameters terms = limit.parametersAt(evaluated.outcome(i).time());
    appendName(out, decision, i);
    out.append(";q=").append(terms.permits());
    if (limit.isInFlight()) {
      out.append(";qu=\"concurrent-requests\"");
      return;
    }
    if (terms.periodMicros() % MICROS_PER_SECOND == 0) {
      out.append(";w=").append(terms.periodMicros() / MICROS_PER_SECOND);
    }
    if (limit.capacity() != terms.permits()) {
      out.append(";weir-burst=").append(limit.capacity());
    }
  }

  /**
   * Appends the state of a limit, such as {@code "orders";r=23;t=37}. {@code t} is the time until
   * all permits are available again, or, after a refusal, until the request would be admitted.
   */
  static void appendRateLimit(StringBuilder out, Decision decision, int i) {
    ClaimOutcome outcome = EvaluatedDecision.of(decision).outcome(i);
    long until =
        outcome.admitted() || outcome.costExceedsLimit() ? outcome.reset() : outcome.retryAfter();
    appendName(out, decision, i);
    out.append(";r=").append(outcome.remaining());
    if (!EvaluatedDecision.of(decision)
        .claim(i)
        .limit()
        .isInFlight()) { // no one knows when requests end
      out.append(";t=").append(DurationRounding.ceilToSeconds(until));
    }
  }

  /** Names need no escaping; {@code Rule} validates them. */
  private static void appendName(StringBuilder out, Decision decision, int i) {
    out.append('"').append(policyName(decision, i)).append('"');
  }
}
