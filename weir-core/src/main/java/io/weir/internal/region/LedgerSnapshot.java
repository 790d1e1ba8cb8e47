package io.weir.internal.region;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The content of the ledger for one rule, returned to a node that reported to it.
 *
 * @param share the share that the node's region must enforce from now on, in thousandths
 * @param regions the status of every region that has ever reported, by name
 */
public record LedgerSnapshot(int share, Map<String, RegionStatus> regions) {

  public LedgerSnapshot {
    regions = Collections.unmodifiableMap(new TreeMap<>(regions));
  }

  /**
   * The status of a region.
   *
   * @param share the share it must enforce, in thousandths
   * @param reservedShare the share that is not available to other regions, in thousandths: its
   *     share, or more until it has lowered what it enforces
   * @param live whether one of its nodes has reported recently
   * @param demand the demand on its nodes, as a multiple of the whole limit
   */
  public record RegionStatus(int share, int reservedShare, boolean live, double demand) {}

  /** Returns the share the region should have given the demand of all regions, in thousandths. */
  int fairShare(RegionalBudget budget, String self) {
    SortedMap<String, Integer> bases = new TreeMap<>();
    Map<String, Double> demands = new TreeMap<>();
    int total = RegionalBudget.WHOLE_PERMILLE;
    boolean hasUnnamed = false;
    for (Map.Entry<String, RegionStatus> entry : regions.entrySet()) {
      String region = entry.getKey();
      RegionStatus status = entry.getValue();
      hasUnnamed |= !budget.percents().containsKey(region);
      if (status.live() || region.equals(self)) {
        bases.put(region, budget.configuredShare(region));
        demands.put(region, status.demand());
      } else {
        total -= status.reservedShare();
      }
    }
    for (String region : budget.percents().keySet()) {
      total -= regions.containsKey(region) ? 0 : budget.configuredShare(region);
    }
    total -= hasUnnamed ? 0 : budget.unassignedShare();
    return BudgetAllocator.allocate(Math.max(0, total), bases, demands).getOrDefault(self, 0);
  }
}
