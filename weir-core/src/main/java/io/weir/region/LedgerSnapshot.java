package io.weir.region;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a ledger says of a rule.
 *
 * @param share what the region of the node that asked has to enforce from now on, in thousandths
 * @param regions every region that ever wrote
 */
public record LedgerSnapshot(int share, Map<String, RegionStatus> regions) {

  public LedgerSnapshot {
    regions = Collections.unmodifiableMap(new TreeMap<>(regions));
  }

  /**
   * How a region stands.
   *
   * @param share what it should enforce, in thousandths
   * @param reservedShare what nobody else may have, in thousandths: its share, or more while it has
   *     not yet come down to it
   * @param live whether one of its nodes has told something of late
   * @param demand what its nodes are asked for, as a multiple of the whole limit
   */
  public record RegionStatus(int share, int reservedShare, boolean live, double demand) {}

  /** What the region should have by what all ask for, in thousandths. */
  int fairShare(DividedBudget rule, String self) {
    SortedMap<String, Integer> bases = new TreeMap<>();
    Map<String, Double> demands = new TreeMap<>();
    int total = DividedBudget.WHOLE_PERMILLE;
    boolean unnamed = false;
    for (Map.Entry<String, RegionStatus> one : regions.entrySet()) {
      String region = one.getKey();
      RegionStatus standing = one.getValue();
      unnamed |= !rule.percents().containsKey(region);
      if (standing.live() || region.equals(self)) {
        bases.put(region, rule.configuredShare(region));
        demands.put(region, standing.demand());
      } else {
        total -= standing.reservedShare();
      }
    }
    for (String region : rule.percents().keySet()) {
      total -= regions.containsKey(region) ? 0 : rule.configuredShare(region);
    }
    total -= unnamed ? 0 : rule.unassignedShare();
    return BudgetAllocator.allocate(Math.max(0, total), bases, demands).getOrDefault(self, 0);
  }
}
