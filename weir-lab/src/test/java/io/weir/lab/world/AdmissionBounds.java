package io.weir.lab.world;

import io.weir.algorithm.Algorithms;
import io.weir.algorithm.LimitParameters;
import io.weir.rule.Limit;
import java.util.List;

/** By how many permits admissions exceed what an algorithm states, at most. */
final class AdmissionBounds {

  private AdmissionBounds() {}

  /** Permits and when they count. */
  record PermitUse(long timeMicros, long permits) {}

  /**
   * Over all stretches of time, or windows where the algorithm has them.
   *
   * @param uses by ascending time
   * @param slack how much longer than it seems each stretch may have been
   */
  static long excess(Limit limit, List<PermitUse> uses, long slack) {
    LimitParameters t = limit.parameters();
    if (limit.algorithm().hasBurst()) {
      return (long)
          Math.ceil(bucketExcess(t, uses) - slack * (double) t.permits() / t.periodMicros() - 1e-3);
    }
    if (limit.algorithm() == Algorithms.SLIDING_LOG) {
      return maxInTrailingPeriod(uses, t.periodMicros() - slack) - t.permits();
    }
    return maxInAlignedWindow(t, uses) - t.permits();
  }

  /** Most above burst + rate × d, over all stretches d. */
  private static double bucketExcess(LimitParameters t, List<PermitUse> uses) {
    double rate = (double) t.permits() / t.periodMicros();
    double level = 0;
    double most = 0;
    long before = 0;
    for (PermitUse use : uses) {
      level = Math.max(0, level - rate * (use.timeMicros - before)) + use.permits;
      before = use.timeMicros;
      most = Math.max(most, level - t.burst());
    }
    return most;
  }

  /** Most above burst + rate × d, over all stretches d up to so long. */
  static long bucketExcess(Limit limit, List<PermitUse> uses, long longest) {
    LimitParameters t = limit.parameters();
    double rate = (double) t.permits() / t.periodMicros();
    double most = 0;
    for (int from = 0; from < uses.size(); from++) {
      long began = uses.get(from).timeMicros;
      long sum = 0;
      for (int to = from; to < uses.size() && uses.get(to).timeMicros - began <= longest; to++) {
        sum += uses.get(to).permits;
        most = Math.max(most, sum - t.burst() - rate * (uses.get(to).timeMicros - began));
      }
    }
    return (long) Math.ceil(most - 1e-3);
  }

  /** Most within any stretch shorter than a period. */
  static long maxInTrailingPeriod(List<PermitUse> uses, long period) {
    long most = 0;
    long sum = 0;
    int from = 0;
    for (PermitUse use : uses) {
      sum += use.permits;
      while (uses.get(from).timeMicros <= use.timeMicros - period) {
        sum -= uses.get(from++).permits;
      }
      most = Math.max(most, sum);
    }
    return most;
  }

  /** Most within any aligned window. */
  private static long maxInAlignedWindow(LimitParameters t, List<PermitUse> uses) {
    long most = 0;
    long sum = 0;
    long window = 0;
    for (PermitUse use : uses) {
      if (t.windowStart(use.timeMicros) != window) {
        window = t.windowStart(use.timeMicros);
        sum = 0;
      }
      sum += use.permits;
      most = Math.max(most, sum);
    }
    return most;
  }
}
