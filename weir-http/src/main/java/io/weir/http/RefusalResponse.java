package io.weir.http;

import io.weir.Decision;
import io.weir.RefusalReason;
import io.weir.internal.JsonText;
import io.weir.internal.decision.EvaluatedDecision;
import io.weir.internal.rule.Claim;
import org.jspecify.annotations.Nullable;

/**
 * The response to a request that is not admitted, in addition to the {@link RateLimitHeaders}.
 *
 * @param status 429 if a limit refused the request, 503 if the store had no answer and the rule
 *     fails closed, 403 if it is blocked or lacks a required attribute
 * @param contentType {@code application/json}, or {@code application/problem+json} (RFC 9457) for
 *     callers that accept it explicitly
 * @param body the binding rule and the time to wait, or an error
 */
public record RefusalResponse(int status, String contentType, String body) {
  /** The HTTP status of a request refused by a limit: Too Many Requests. */
  public static final int STATUS = 429;

  /** The HTTP status of a request refused because the store had no answer: Service Unavailable. */
  public static final int UNAVAILABLE = 503;

  public static final String JSON = "application/json";
  public static final String PROBLEM_JSON = "application/problem+json";

  /** The HTTP status of a request refused by a rule that counts nothing: Forbidden. */
  public static final int FORBIDDEN = 403;

  private static final int INITIAL_CAPACITY = 320;

  /**
   * Returns the response to a refused request.
   *
   * @param accept the {@code Accept} header of the request, its lines joined by commas; null if
   *     there is none
   * @throws IllegalArgumentException if the request was admitted
   */
  public static RefusalResponse of(Decision decision, @Nullable String accept) {
    RefusalReason reason = reasonOf(decision);
    int status = statusOf(reason);
    StringBuilder out = new StringBuilder(INITIAL_CAPACITY);
    if (AcceptHeader.prefersProblemJson(accept)) {
      appendProblem(out, reason, status, decision);
      return new RefusalResponse(
          status, PROBLEM_JSON, appendFields(out, decision).append('}').toString());
    }
    return new RefusalResponse(
        status, JSON, appendFields(out.append('{'), decision).append('}').toString());
  }

  /** Returns the HTTP status of a refusal. */
  public static int statusOf(RefusalReason reason) {
    return switch (reason) {
      case RATE_LIMITED, COST_EXCEEDS_LIMIT -> STATUS;
      case STORE_UNAVAILABLE -> UNAVAILABLE;
      case BLOCKED, MISSING_ATTRIBUTE -> FORBIDDEN;
    };
  }

  private static RefusalReason reasonOf(Decision decision) {
    return decision
        .refusalReason()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "the request was admitted; there is no refusal to write"));
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
    out.append("\"error\":\"").append(reasonOf(decision).code()).append("\",\"rule\":");
    JsonText.quote(out, bindingClaim(decision).limit().rule().id());
    long wait = RetryAfterHeader.seconds(decision);
    return wait == RetryAfterHeader.NONE
        ? out
        : out.append(",\"retry_after_seconds\":").append(wait);
  }

  /** Appends the members of RFC 9457, and the policies that a refusal by a limit violates. */
  private static void appendProblem(
      StringBuilder out, RefusalReason reason, int status, Decision decision) {
    JsonText.quote(out.append("{\"type\":"), problemType(reason));
    JsonText.quote(out.append(",\"title\":"), problemTitle(reason));
    out.append(",\"status\":").append(status);
    JsonText.quote(out.append(",\"detail\":"), detail(reason, decision));
    if (status == STATUS) {
      appendViolatedPolicies(out, decision);
    }
    out.append(',');
  }

  private static String problemType(RefusalReason reason) {
    return switch (reason) {
      case RATE_LIMITED, COST_EXCEEDS_LIMIT ->
          "https://iana.org/assignments/http-problem-types#quota-exceeded";
      case STORE_UNAVAILABLE -> "urn:weir:problem:store-unavailable";
      case BLOCKED -> "urn:weir:problem:blocked";
      case MISSING_ATTRIBUTE -> "urn:weir:problem:missing-attribute";
    };
  }

  private static String problemTitle(RefusalReason reason) {
    return switch (reason) {
      case RATE_LIMITED, COST_EXCEEDS_LIMIT ->
          "Request cannot be satisfied as assigned quota has been exceeded";
      case STORE_UNAVAILABLE -> "Rate limits cannot be checked at the moment";
      case BLOCKED -> "Request is blocked";
      case MISSING_ATTRIBUTE -> "Request lacks a required attribute";
    };
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
    out.append(']');
  }

  private static String detail(RefusalReason reason, Decision decision) {
    Claim claim = bindingClaim(decision);
    String rule = claim.limit().rule().id();
    return switch (reason) {
      case RATE_LIMITED ->
          "%s has too few permits available for this request; %s."
              .formatted(rule, retryAfter(decision));
      case COST_EXCEEDS_LIMIT ->
          "A cost of %d exceeds the capacity of %d permits of %s; request fewer at once."
              .formatted(claim.cost(), claim.limit().capacity(), rule);
      case STORE_UNAVAILABLE ->
          "%s refuses requests while it cannot count them; %s."
              .formatted(rule, retryAfter(decision));
      case BLOCKED -> "%s blocks this request.".formatted(rule);
      case MISSING_ATTRIBUTE ->
          "%s requires %s.".formatted(rule, String.join(" and ", claim.limit().rule().per()));
    };
  }

  private static String retryAfter(Decision decision) {
    long wait = RetryAfterHeader.seconds(decision);
    return "retry after %d %s".formatted(wait, wait == 1 ? "second" : "seconds");
  }

  private static Claim bindingClaim(Decision decision) {
    return EvaluatedDecision.of(decision).claim(EvaluatedDecision.of(decision).bindingIndex());
  }
}
