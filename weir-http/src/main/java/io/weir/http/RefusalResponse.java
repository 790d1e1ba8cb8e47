package io.weir.http;

import io.weir.Decision;
import io.weir.internal.JsonText;
import io.weir.internal.decision.EvaluatedDecision;
import io.weir.internal.rule.Claim;
import org.jspecify.annotations.Nullable;

/**
 * The response to a request that is not admitted, in addition to the {@link RateLimitHeaders}.
 *
 * @param status 429 if the request was refused
 * @param contentType {@code application/json}, or {@code application/problem+json} (RFC 9457) for
 *     callers that accept it explicitly
 * @param body the binding rule and the time to wait, or an error
 */
public record RefusalResponse(int status, String contentType, String body) {
  /** The HTTP status of a request refused by a limit: Too Many Requests. */
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
   * Returns the response to a refused request.
   *
   * @param accept the {@code Accept} header of the request, its lines joined by commas; null if
   *     there is none
   * @throws IllegalArgumentException if the request was admitted
   */
  public static RefusalResponse of(Decision decision, @Nullable String accept) {
    if (decision.allowed()) {
      throw new IllegalArgumentException("the request was admitted; there is no refusal to write");
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

  /** Returns the response to a malformed or ambiguous request. */
  public static RefusalResponse of(BadRequestException e) {
    return ofError(BadRequestException.STATUS, "bad_request", String.valueOf(e.getMessage()));
  }

  /** Returns a response with an error code and a message that says what to do instead. */
  public static RefusalResponse ofError(int status, String error, String message) {
    return new RefusalResponse(status, JSON, JsonText.error(error, message));
  }

  /** Appends the fields of every refusal: error, rule and, if waiting helps, the time to wait. */
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
    for (int i = 0; i < EvaluatedDecision.of(decision).claimCount(); i++) {
      if (!EvaluatedDecision.of(decision).claim(i).limit().shadow()
          && !EvaluatedDecision.of(decision).outcome(i).admitted()) {
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
      return "A cost of %d exceeds the capacity of %d permits of %s; request fewer at once."
          .formatted(claim.cost(), claim.limit().capacity(), rule);
    }
    long wait = RetryAfterHeader.seconds(decision);
    return "%s has too few permits available for this request; retry after %d %s."
        .formatted(rule, wait, wait == 1 ? "second" : "seconds");
  }

  private static Claim bindingClaim(Decision decision) {
    return EvaluatedDecision.of(decision).claim(EvaluatedDecision.of(decision).bindingIndex());
  }
}
