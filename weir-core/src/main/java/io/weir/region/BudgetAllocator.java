package io.weir.region;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/**
 * Divides a budget over regions by what they ask for.
 *
 * <p>Nobody gets less than a tenth of its base, so that demand can show. Everybody gets what it
 * asks for and a fifth more, up to its base. What is then left goes to those who ask for more, and
 * what nobody asks for to all, each time in proportion to their bases. So who stays within its base
 * is never short for another's sake, under contention everybody has its base, and without any
 * demand too.
 *
 * <p>A pure function: nodes that know the same divide alike.
 */
public final class BudgetAllocator {
  /** How many times the demand is granted, since it may grow before the next division. */
  static final double HEADROOM = 1.2;

  private static final double MIN_BASE_FRACTION = 0.1;
  private static final double EPSILON = 1e-6;

  private BudgetAllocator() {}

  /** One region while it is divided, in thousandths. */
  private static final class RegionAllocation {
    final double base;
    final double wanted;
    double granted;

    RegionAllocation(double base, double demand) {
      this.base = base;
      wanted = Math.max(MIN_BASE_FRACTION * base, HEADROOM * demand * DividedBudget.WHOLE_PERMILLE);
      granted = Math.min(wanted, base);
    }

    boolean isUnsatisfied() {
      return wanted - granted > EPSILON;
    }
  }

  /**
   * The shares, in thousandths, together the total.
   *
   * @param total what there is to divide, in thousandths
   * @param bases what each region should have while all want more; scaled to the total
   * @param demands what each asks for, as a multiple of the whole limit; nothing if not named
   */
  public static Map<String, Integer> allocate(
      int total, SortedMap<String, Integer> bases, Map<String, Double> demands) {
    double sum = bases.values().stream().mapToInt(Integer::intValue).sum();
    List<RegionAllocation> parts = new ArrayList<>();
    bases.forEach(
        (region, base) ->
            parts.add(
                new RegionAllocation(
                    sum == 0 ? 0 : base / sum * total, demands.getOrDefault(region, 0.0))));
    double left = total - parts.stream().mapToDouble(part -> part.granted).sum();
    left = distribute(parts, left);
    for (RegionAllocation part : parts) {
      part.granted += total == 0 ? 0 : left * part.base / total;
    }
    return roundToTotal(bases, parts, total);
  }

  /** Gives what is left to those who want more, until it is gone or none does; says what stays. */
  private static double distribute(List<RegionAllocation> parts, double left) {
    double rest = left;
    for (int round = 0; round < parts.size() && rest > EPSILON; round++) {
      List<RegionAllocation> hungry =
          parts.stream().filter(RegionAllocation::isUnsatisfied).toList();
      double weight = hungry.stream().mapToDouble(part -> part.base).sum();
      double turn = rest;
      for (RegionAllocation part : hungry) {
        double given =
            Math.min(part.wanted - part.granted, weight == 0 ? 0 : turn * part.base / weight);
        part.granted += given;
        rest -= given;
      }
    }
    return Math.max(0, rest);
  }

  /** In whole thousandths, what rounding leaves going to the first. */
  private static Map<String, Integer> roundToTotal(
      SortedMap<String, Integer> bases, List<RegionAllocation> parts, int total) {
    int rest = total;
    for (RegionAllocation part : parts) {
      part.granted = Math.floor(part.granted + EPSILON);
      rest -= (int) part.granted;
    }
    Map<String, Integer> shares = new LinkedHashMap<>();
    int i = 0;
    for (String region : bases.keySet()) {
      int more = rest > 0 && parts.get(i).base > 0 ? 1 : 0;
      rest -= more;
      shares.put(region, (int) parts.get(i++).granted + more);
    }
    return shares;
  }
}
