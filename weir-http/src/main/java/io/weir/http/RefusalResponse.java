package io.weir.http;

import io.weir.Decision;
import io.weir.rule.Claim;
import org.jspecify.annotations.Nullable;

/**
 * What a refused caller is answered, beside the {@link RateLimitHeaders}.
 *
 * @param status always 429
 * @param contentType {@code application/json}, or {@code application/problem+json} (RFC 9457) for
 *     callers that name it
 * @param body the rule that bound, and for how long to wait
 */
public record RefusalResponse(int status, String contentType, String body) {
  /** The status of every refusal: too many requests. */
  public static final int STATUS = 429;

  public static final String JSON = "application/json";
  public static final String PROBLEM_JSON = "application/problem+json";

  private static final int INITIAL_CAPACITY = 320;
  private static final String PROBLEM_PREFIX =
      "{\"type\":\"https://iana.org/assignments/http-problem-types#quota-exceeded\","
          + "\"title\":\"Request cannot be satisfied as assigned quota has been exceeded\","
          + "\"status\":"
          + STATUS
          + ",\"detail\":";

  /**
   * The answer to a refused request.
   *
   * @param accept the request's {@code Accept} field, its lines joined by commas; null if it has
   *     none
   * @throws IllegalArgumentException if it was not refused
   */
  public static RefusalResponse of(Decision decision, @Nullable String accept) {
    if (decision.allowed()) {
      throw new IllegalArgumentException("it was admitted; answer with what was asked for");
    }
    StringBuilder out = new StringBuilder(INITIAL_CAPACITY);
    if (AcceptHeader.prefersProblemJson(accept)) {
      JsonText.quote(out.append(PROBLEM_PREFIX), detail(decision));
      appendViolatedPolicies(out, decision);
      return new RefusalResponse(
          STATUS, PROBLEM_JSON, appendFields(out, decision).append('}').toString());
    }
    return new RefusalResponse(
        STATUS, JSON, appendFields(out.append('{'), decision).append('}').toString());
  }

  /** Appends what every refusal says: error, rule and, where waiting helps, for how long. */
  static StringBuilder appendFields(StringBuilder out, Decision decision) {
    out.append("\"error\":\"")
        .append(decision.costExceedsLimit() ? "cost_exceeds_limit" : "rate_limited")
        .append("\",\"rule\":");
    JsonText.quote(out, bindingClaim(decision).limit().rule().id());
    long wait = RetryAfterHeader.seconds(decision);
    return wait == RetryAfterHeader.NONE
        ? out
        : out.append(",\"retry_after_seconds\":").append(wait);
  }

  private static void appendViolatedPolicies(StringBuilder out, Decision decision) {
    out.append(",\"violated-policies\":[");
    boolean first = true;
    for (int i = 0; i < decision.claimCount(); i++) {
      if (!decision.claim(i).limit().shadow() && !decision.outcome(i).admitted()) {
        JsonText.quote(first ? out : out.append(','), RateLimitFields.policyName(decision, i));
        first = false;
      }
    }
    out.append("],");
  }

  private static String detail(Decision decision) {
    Claim claim = bindingClaim(decision);
    String rule = claim.limit().rule().id();
    if (decision.costExceedsLimit()) {
      return "A cost of %d can never fit the %d permits of %s; ask for less at once."
          .formatted(claim.cost(), claim.limit().capacity(), rule);
    }
    long wait = RetryAfterHeader.seconds(decision);
    return "%s has no room for this request; retry after %d %s."
        .formatted(rule, wait, wait == 1 ? "second" : "seconds");
  }

  private static Claim bindingClaim(Decision decision) {
    return decision.claim(decision.bindingIndex());
  }
}
