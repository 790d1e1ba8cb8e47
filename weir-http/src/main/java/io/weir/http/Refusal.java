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
public record Refusal(int status, String contentType, String body) {
  /** The status of every refusal: too many requests. */
  public static final int STATUS = 429;

  public static final String JSON = "application/json";
  public static final String PROBLEM_JSON = "application/problem+json";

  private static final int TYPICAL_LENGTH = 320;
  private static final String PROBLEM =
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
  public static Refusal of(Decision decision, @Nullable String accept) {
    if (decision.allowed()) {
      throw new IllegalArgumentException("it was admitted; answer with what was asked for");
    }
    StringBuilder out = new StringBuilder(TYPICAL_LENGTH);
    if (Accept.wantsProblem(accept)) {
      Json.quote(out.append(PROBLEM), detail(decision));
      violated(out, decision);
      return new Refusal(STATUS, PROBLEM_JSON, fields(out, decision).append('}').toString());
    }
    return new Refusal(STATUS, JSON, fields(out.append('{'), decision).append('}').toString());
  }

  /** Appends what every refusal says: error, rule and, where waiting helps, for how long. */
  static StringBuilder fields(StringBuilder out, Decision decision) {
    out.append("\"error\":\"")
        .append(decision.never() ? "cost_exceeds_limit" : "rate_limited")
        .append("\",\"rule\":");
    Json.quote(out, bound(decision).limit().rule().id());
    long wait = RetryAfter.seconds(decision);
    return wait == RetryAfter.NONE ? out : out.append(",\"retry_after_seconds\":").append(wait);
  }

  private static void violated(StringBuilder out, Decision decision) {
    out.append(",\"violated-policies\":[");
    boolean first = true;
    for (int i = 0; i < decision.size(); i++) {
      if (!decision.claim(i).limit().shadow() && !decision.outcome(i).fits()) {
        Json.quote(first ? out : out.append(','), Policy.name(decision, i));
        first = false;
      }
    }
    out.append("],");
  }

  private static String detail(Decision decision) {
    Claim claim = bound(decision);
    String rule = claim.limit().rule().id();
    if (decision.never()) {
      return "A cost of %d can never fit the %d permits of %s; ask for less at once."
          .formatted(claim.cost(), claim.limit().most(), rule);
    }
    long wait = RetryAfter.seconds(decision);
    return "%s has no room for this request; retry after %d %s."
        .formatted(rule, wait, wait == 1 ? "second" : "seconds");
  }

  private static Claim bound(Decision decision) {
    return decision.claim(decision.binding());
  }
}
