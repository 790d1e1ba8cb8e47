package io.weir.rule;

import java.util.Arrays;
import java.util.List;

/**
 * Other limits for the callers a selector meets, within one rule.
 *
 * @param when whom it is for
 * @param rates the limits that apply instead
 * @param burst the bucket's size, or 0 for the limit itself
 */
public record LimitOverride(Selector when, List<Rate> rates, long burst) {

  public LimitOverride {
    rates = List.copyOf(rates);
    if (when.patterns().isEmpty()) {
      throw new IllegalArgumentException(
          "names nobody; write whom it is for, such as when: {user: acme}, or change the limit itself");
    }
  }

  /** Other limits, with bursts of their own size. */
  public static LimitOverride of(Selector when, String... rates) {
    return new LimitOverride(when, Arrays.stream(rates).map(Rate::parse).toList(), 0);
  }
}
