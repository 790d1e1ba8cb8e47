package io.weir.lab.world;

import io.weir.internal.algorithm.LimitParameters;
import io.weir.internal.algorithm.WindowModel;
import io.weir.internal.rule.Limit;
import java.util.List;

/** Computes by how many permits admissions exceed the bound of an algorithm. */
final class AdmissionBounds {

  private AdmissionBounds() {}

  /** Permits and the time at which they count. */
  record PermitUse(long timeMicros, long permits) {}

  /**
   * Returns the largest excess over all intervals, or over all windows of a window algorithm.
   *
   * @param uses the permits in ascending order of time
   * @param slack by how much each interval may really have been longer
   */
  static long excess(Limit limit, List<PermitUse> uses, long slack) {
    LimitParameters t = limit.parameters();
    if (limit.windowModel() == WindowModel.CONTINUOUS) {
      return (long)
          Math.ceil(bucketExcess(t, uses) - slack * (double) t.permits() / t.periodMicros() - 1e-3);
    }
    if (limit.windowModel() == WindowModel.TRAILING) {
      return maxInTrailingPeriod(uses, t.periodMicros() - slack) - t.permits();
    }
    return maxInAlignedWindow(t, uses) - t.permits();
  }

  /** Returns the largest excess over burst + rate × d, for all intervals d. */
  private static double bucketExcess(LimitParameters t, List<PermitUse> uses) {
    double rate = (double) t.permits() / t.periodMicros();
    double level = 0;
    double max = 0;
    long before = 0;
    for (PermitUse use : uses) {
      level = Math.max(0, level - rate * (use.timeMicros - before)) + use.permits;
      before = use.timeMicros;
      max = Math.max(max, level - t.burst());
    }
    return max;
  }

  /** Returns the largest excess over burst + rate × d, for all intervals d up to a length. */
  static long bucketExcess(Limit limit, List<PermitUse> uses, long longest) {
    LimitParameters t = limit.parameters();
    double rate = (double) t.permits() / t.periodMicros();
    double max = 0;
    for (int from = 0; from < uses.size(); from++) {
      long start = uses.get(from).timeMicros;
      long sum = 0;
      for (int to = from; to < uses.size() && uses.get(to).timeMicros - start <= longest; to++) {
        sum += uses.get(to).permits;
        max = Math.max(max, sum - t.burst() - rate * (uses.get(to).timeMicros - start));
      }
    }
    return (long) Math.ceil(max - 1e-3);
  }

  /** Returns the most permits within any trailing period. */
  static long maxInTrailingPeriod(List<PermitUse> uses, long period) {
    long max = 0;
    long sum = 0;
    int from = 0;
    for (PermitUse use : uses) {
      sum += use.permits;
      while (uses.get(from).timeMicros <= use.timeMicros - period) {
        sum -= uses.get(from++).permits;
      }
      max = Math.max(max, sum);
    }
    return max;
  }

  /** Returns the most permits within any aligned window. */
  private static long maxInAlignedWindow(LimitParameters t, List<PermitUse> uses) {
    long max = 0;
    long sum = 0;
    long window = 0;
    for (PermitUse use : uses) {
      if (t.windowStart(use.timeMicros) != window) {
        window = t.windowStart(use.timeMicros);
        sum = 0;
      }
      sum += use.permits;
      max = Math.max(max, sum);
    }
    return max;
  }
}
