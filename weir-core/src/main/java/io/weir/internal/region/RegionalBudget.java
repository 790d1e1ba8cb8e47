package io.weir.internal.region;

import io.weir.rule.Rule;
import java.util.Map;

/**
 * The budget of a rule that is divided over regions. It identifies the division in the ledger, so
 * an edit of the regions starts a new division.
 *
 * @param ruleId the id of the rule
 * @param percents the configured percentage of each region
 */
public record RegionalBudget(String ruleId, Map<String, Integer> percents) {
  static final int WHOLE_PERMILLE = 1000;

  /** Returns the divided budget of a rule. */
  static RegionalBudget of(Rule rule) {
    return new RegionalBudget(rule.id(), rule.regions());
  }

  /**
   * Returns the configured share of a region in thousandths; a region that is not configured has
   * the unassigned share.
   */
  public int configuredShare(String region) {
    Integer percent = percents.get(region);
    return percent == null ? unassignedShare() : percent * 10;
  }

  /** Returns the share that is not assigned to a region, in thousandths. */
  public int unassignedShare() {
    return WHOLE_PERMILLE - 10 * percents.values().stream().mapToInt(Integer::intValue).sum();
  }
}
