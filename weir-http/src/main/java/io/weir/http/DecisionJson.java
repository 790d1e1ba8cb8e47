package io.weir.http;

import io.weir.Decision;
import io.weir.internal.JsonText;
import io.weir.internal.decision.EvaluatedDecision;
import io.weir.internal.rule.Limit;
import io.weir.internal.store.ClaimOutcome;

/**
 * Formats a decision as the JSON of the decision API, including shadow rules. It is meant for
 * services that ask for decisions; their callers get the shorter {@link RefusalResponse}.
 *
 * <p>Durations are in milliseconds, rounded up. The remaining permits of a rule that was decided by
 * its fallback are unknown and written as null. A rule that decides without a counter has a field
 * {@code action}, and neither limit nor remaining permits.
 */
public final class DecisionJson {
  private static final int INITIAL_CAPACITY = 256;
  private static final long MICROS_PER_MILLI = 1000;

  private DecisionJson() {}

  public static String format(Decision decision) {
    StringBuilder out = new StringBuilder(INITIAL_CAPACITY);
    return appendFields(out.append('{'), decision).append('}').toString();
  }

  /** Appends the fields without the enclosing braces, for objects with additional fields. */
  public static StringBuilder appendFields(StringBuilder out, Decision decision) {
    out.append("\"allowed\":").append(decision.allowed());
    out.append(",\"degraded\":").append(decision.degraded());
    out.append(",\"delay_ms\":").append(DurationRounding.ceilToMillis(decision.delay()));
    out.append(",\"retry_after_ms\":").append(DurationRounding.ceilToMillis(decision.retryAfter()));
    out.append(",\"revision\":").append(decision.revision());
    out.append(",\"rules\":[");
    int start = out.length();
    EvaluatedDecision.of(decision)
        .forEachRule(
            (limit, outcome) ->
                appendRule(out.length() == start ? out : out.append(','), limit, outcome));
    out.append(']');
    if (!decision.allowed()) {
      RefusalResponse.appendFields(out.append(','), decision);
    }
    return out;
  }

  private static void appendRule(StringBuilder out, Limit limit, ClaimOutcome outcome) {
    JsonText.quote(out.append("{\"id\":"), limit.rule().id());
    if (!limit.isCounted()) {
      JsonText.quote(out.append(",\"action\":"), limit.verdict().code());
    }
    out.append(",\"allowed\":").append(outcome.admitted());
    out.append(",\"shadow\":").append(limit.shadow());
    out.append(",\"limit\":").append(limit.isCounted() ? limit.capacity() : null);
    boolean known = limit.isCounted() && !outcome.degraded();
    out.append(",\"remaining\":").append(known ? outcome.remaining() : null);
    out.append(",\"reset_ms\":").append(ceilToMillis(outcome.reset()));
    out.append(",\"retry_after_ms\":").append(ceilToMillis(outcome.retryAfter()));
    out.append('}');
  }

  private static long ceilToMillis(long micros) {
    return (micros + MICROS_PER_MILLI - 1) / MICROS_PER_MILLI;
  }
}
