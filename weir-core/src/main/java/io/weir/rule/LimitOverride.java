package io.weir.rule;

import io.weir.internal.rule.Limit;
import java.util.Arrays;
import java.util.List;

/**
 * Limits of a rule that apply to requests matching a selector instead of the limits of the rule.
 *
 * @param when selects the requests
 * @param rates the limits that apply instead; those of the rule if empty
 * @param burst the size of the bucket, or 0 to use the permits of the limit
 * @param inFlight the in-flight limit that applies instead; that of the rule if 0
 */
public record LimitOverride(Selector when, List<Rate> rates, long burst, int inFlight) {

  public LimitOverride {
    rates = List.copyOf(rates);
    if (inFlight != 0) {
      inFlight = Limit.checkSlots(inFlight);
    }
    if (when.patterns().isEmpty()) {
      throw new IllegalArgumentException(
          "when must name an attribute, such as when: {user: acme}; to match everyone change the limit");
    }
  }

  /** Creates an override of the rates only. */
  public LimitOverride(Selector when, List<Rate> rates, long burst) {
    this(when, rates, burst, 0);
  }

  /** Creates an override without bursts above the limits. */
  public static LimitOverride of(Selector when, String... rates) {
    return new LimitOverride(when, Arrays.stream(rates).map(Rate::parse).toList(), 0);
  }
}
