package io.weir.http;

import io.weir.Decision;
import io.weir.internal.decision.EvaluatedDecision;
import io.weir.internal.rule.Limit;
import io.weir.internal.store.ClaimOutcome;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * Writes the response headers that report a decision to a caller.
 *
 * <p>The {@code X-RateLimit} headers report the binding limit. {@code RateLimit-Policy} and {@code
 * RateLimit} (draft-ietf-httpapi-ratelimit-headers-10) report every enforcing limit that matches
 * the request. Shadow rules and rules that count nothing are not reported; if no enforcing rule
 * matches, there are no headers. For a limit whose fallback decided because the store failed, only
 * the policy is written: its remaining permits are unknown, and a zero would say that a budget is
 * used up.
 */
public final class RateLimitHeaders {
  public static final String LIMIT = "X-RateLimit-Limit";
  public static final String REMAINING = "X-RateLimit-Remaining";
  public static final String RESET = "X-RateLimit-Reset";
  public static final String RETRY_AFTER = "Retry-After";
  public static final String RATE_LIMIT_POLICY = "RateLimit-Policy";
  public static final String RATE_LIMIT = "RateLimit";

  /** All headers that may be written; a proxy removes them from its upstream's response first. */
  public static final List<String> NAMES =
      List.of(LIMIT, REMAINING, RESET, RETRY_AFTER, RATE_LIMIT_POLICY, RATE_LIMIT);

  private static final int INITIAL_CAPACITY = 48;

  private RateLimitHeaders() {}

  /** Passes name and value of every header to {@code out}, each name at most once. */
  public static void write(Decision decision, BiConsumer<String, String> out) {
    write(List.of(decision), out);
  }

  /**
   * Writes the headers for several decisions on one request, such as those before and after its
   * caller was authenticated. The tightest limit of all decisions is the binding one.
   */
  public static void write(List<Decision> decisions, BiConsumer<String, String> out) {
    Decision tightest = decisions.get(0);
    for (Decision other : decisions) {
      tightest = other.isTighterThan(tightest) ? other : tightest;
    }
    EvaluatedDecision reported = EvaluatedDecision.of(tightest);
    int binding = reported.bindingIndex();
    if (binding >= 0 && reported.claim(binding).limit().isCounted()) {
      writeBindingLimit(tightest, out);
      writeStructuredFields(decisions, out);
    }
  }

  private static void writeBindingLimit(Decision decision, BiConsumer<String, String> out) {
    int binding = EvaluatedDecision.of(decision).bindingIndex();
    ClaimOutcome bound = EvaluatedDecision.of(decision).outcome(binding);
    out.accept(
        LIMIT, Long.toString(EvaluatedDecision.of(decision).claim(binding).limit().capacity()));
    if (bound.isRemainingKnown()) {
      long reset =
          EvaluatedDecision.of(decision).claim(binding).limit().isInFlight() ? 0 : bound.reset();
      long back = bound.time() + Math.max(reset, bound.retryAfter());
      out.accept(REMAINING, Long.toString(bound.remaining()));
      out.accept(RESET, Long.toString(DurationRounding.ceilToSeconds(back)));
    }
    long wait = RetryAfterHeader.seconds(decision);
    if (wait != RetryAfterHeader.NONE) {
      out.accept(RETRY_AFTER, Long.toString(wait));
    }
  }

  private static void writeStructuredFields(
      List<Decision> decisions, BiConsumer<String, String> out) {
    StringBuilder policy = new StringBuilder(INITIAL_CAPACITY);
    StringBuilder service = new StringBuilder(INITIAL_CAPACITY);
    for (Decision decision : decisions) {
      EvaluatedDecision evaluated = EvaluatedDecision.of(decision);
      for (int i = 0; i < evaluated.claimCount(); i++) {
        Limit limit = evaluated.claim(i).limit();
        if (limit.shadow() || !limit.isCounted()) {
          continue;
        }
        RateLimitFields.appendPolicy(appendSeparator(policy), decision, i);
        if (evaluated.outcome(i).isRemainingKnown()) {
          RateLimitFields.appendRateLimit(appendSeparator(service), decision, i);
        }
      }
    }
    out.accept(RATE_LIMIT_POLICY, policy.toString());
    if (service.length() > 0) {
      out.accept(RATE_LIMIT, service.toString());
    }
  }

  private static StringBuilder appendSeparator(StringBuilder list) {
    return list.length() == 0 ? list : list.append(", ");
  }
}
