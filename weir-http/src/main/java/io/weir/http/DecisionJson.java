package io.weir.http;

import io.weir.Decision;
import io.weir.Decision.RuleOutcome;
import io.weir.internal.JsonText;
import java.util.List;

/**
 * Formats a decision as the JSON of the decision API, including shadow rules. It is meant for
 * services that ask for decisions; their callers get the shorter {@link RefusalResponse}.
 *
 * <p>Durations are in milliseconds, rounded up. The remaining permits of a rule that was decided by
 * its fallback are unknown and written as null.
 */
public final class DecisionJson {
  private static final int INITIAL_CAPACITY = 256;

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
    List<RuleOutcome> rules = decision.rules();
    for (int i = 0; i < rules.size(); i++) {
      appendRule(i == 0 ? out : out.append(','), rules.get(i));
    }
    out.append(']');
    if (!decision.allowed()) {
      RefusalResponse.appendFields(out.append(','), decision);
    }
    return out;
  }

  private static void appendRule(StringBuilder out, RuleOutcome rule) {
    JsonText.quote(out.append("{\"id\":"), rule.rule());
    out.append(",\"allowed\":").append(rule.allowed());
    out.append(",\"shadow\":").append(rule.shadow());
    out.append(",\"limit\":").append(rule.limit());
    if (rule.degraded()) {
      out.append(",\"remaining\":null");
    } else {
      out.append(",\"remaining\":").append(rule.remaining());
    }
    out.append(",\"reset_ms\":").append(DurationRounding.ceilToMillis(rule.reset()));
    out.append(",\"retry_after_ms\":").append(DurationRounding.ceilToMillis(rule.retryAfter()));
    out.append('}');
  }
}
