package io.weir.internal.region;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/**
 * Allocates a budget to regions by demand.
 *
 * <p>Every region gets at least a tenth of its base, so that its demand can become visible. Every
 * region gets its demand plus 20%, up to its base. The rest goes first to regions with more demand,
 * and what then remains to all regions, both in proportion to their bases. So a region whose demand
 * is within its base is never short because of another region, and under contention, or without any
 * demand, every region gets its base.
 *
 * <p>A pure function: nodes with the same input compute the same shares.
 */
public final class BudgetAllocator {
  /**
   * The factor by which demand is over-provisioned, since it may grow before the next allocation.
   */
  static final double HEADROOM = 1.2;

  private static final double MIN_BASE_FRACTION = 0.1;
  private static final double EPSILON = 1e-6;

  private BudgetAllocator() {}

  /** The allocation of one region while it is computed, in thousandths. */
  private static final class RegionAllocation {
    final double base;
    final double wanted;
    double granted;

    RegionAllocation(double base, double demand) {
      this.base = base;
      wanted =
          Math.max(MIN_BASE_FRACTION * base, HEADROOM * demand * RegionalBudget.WHOLE_PERMILLE);
      granted = Math.min(wanted, base);
    }

    boolean isUnsatisfied() {
      return wanted - granted > EPSILON;
    }
  }

  /**
   * Returns the shares by region in thousandths, which add up to the total.
   *
   * @param total the budget to allocate, in thousandths
   * @param bases the share of each region under contention; scaled to the total
   * @param demands the demand of each region as a multiple of the whole limit; 0 if missing
   */
  public static Map<String, Integer> allocate(
      int total, SortedMap<String, Integer> bases, Map<String, Double> demands) {
    double sum = bases.values().stream().mapToInt(Integer::intValue).sum();
    List<RegionAllocation> allocations = new ArrayList<>();
    bases.forEach(
        (region, base) ->
            allocations.add(
                new RegionAllocation(
                    sum == 0 ? 0 : base / sum * total, demands.getOrDefault(region, 0.0))));
    double left = total - allocations.stream().mapToDouble(allocation -> allocation.granted).sum();
    left = distribute(allocations, left);
    for (RegionAllocation allocation : allocations) {
      allocation.granted += total == 0 ? 0 : left * allocation.base / total;
    }
    return roundToTotal(bases, allocations, total);
  }

  /** Distributes the rest to unsatisfied regions until it is used up; returns what remains. */
  private static double distribute(List<RegionAllocation> allocations, double left) {
    double rest = left;
    for (int round = 0; round < allocations.size() && rest > EPSILON; round++) {
      List<RegionAllocation> unsatisfied =
          allocations.stream().filter(RegionAllocation::isUnsatisfied).toList();
      double weight = unsatisfied.stream().mapToDouble(allocation -> allocation.base).sum();
      double available = rest;
      for (RegionAllocation allocation : unsatisfied) {
        double amount =
            Math.min(
                allocation.wanted - allocation.granted,
                weight == 0 ? 0 : available * allocation.base / weight);
        allocation.granted += amount;
        rest -= amount;
      }
    }
    return Math.max(0, rest);
  }

  /** Rounds to whole thousandths; the rounding remainder goes to the first regions. */
  private static Map<String, Integer> roundToTotal(
      SortedMap<String, Integer> bases, List<RegionAllocation> allocations, int total) {
    int rest = total;
    for (RegionAllocation allocation : allocations) {
      allocation.granted = Math.floor(allocation.granted + EPSILON);
      rest -= (int) allocation.granted;
    }
    Map<String, Integer> shares = new LinkedHashMap<>();
    int i = 0;
    for (String region : bases.keySet()) {
      int extra = rest > 0 && allocations.get(i).base > 0 ? 1 : 0;
      rest -= extra;
      shares.put(region, (int) allocations.get(i++).granted + extra);
    }
    return shares;
  }
}
