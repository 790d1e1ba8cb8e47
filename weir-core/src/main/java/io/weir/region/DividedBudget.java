package io.weir.region;

import io.weir.rule.Rule;
import java.util.Map;

/**
 * A rule whose budget is divided, by what its division depends on: an edit of its regions begins
 * anew.
 *
 * @param ruleId its id
 * @param percents what each region has, as it is written
 */
public record DividedBudget(String ruleId, Map<String, Integer> percents) {
  static final int WHOLE_PERMILLE = 1000;

  /** How a rule is divided. */
  static DividedBudget of(Rule rule) {
    return new DividedBudget(rule.id(), rule.regions());
  }

  /**
   * The share of a region as it is written, in thousandths: what is not shared out where the region
   * is not named.
   */
  public int configuredShare(String region) {
    Integer percent = percents.get(region);
    return percent == null ? unassignedShare() : percent * 10;
  }

  /** What is not shared out, in thousandths. */
  public int unassignedShare() {
    return WHOLE_PERMILLE - 10 * percents.values().stream().mapToInt(Integer::intValue).sum();
  }
}
