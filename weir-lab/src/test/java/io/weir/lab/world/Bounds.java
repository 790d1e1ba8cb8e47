package io.weir.lab.world;

import io.weir.algorithm.Algorithms;
import io.weir.algorithm.Terms;
import io.weir.rule.Limit;
import java.util.List;

/** By how many permits admissions exceed what an algorithm states, at most. */
final class Bounds {

  private Bounds() {}

  /** Permits and when they count. */
  record Use(long time, long permits) {}

  /**
   * Over all stretches of time, or windows where the algorithm has them.
   *
   * @param uses by ascending time
   * @param slack how much longer than it seems each stretch may have been
   */
  static long excess(Limit limit, List<Use> uses, long slack) {
    Terms t = limit.terms();
    if (limit.algorithm().bursts()) {
      return (long)
          Math.ceil(overBucket(t, uses) - slack * (double) t.permits() / t.period() - 1e-3);
    }
    if (limit.algorithm() == Algorithms.SLIDING_LOG) {
      return trailing(uses, t.period() - slack) - t.permits();
    }
    return overWindow(t, uses) - t.permits();
  }

  /** Most above burst + rate × d, over all stretches d. */
  private static double overBucket(Terms t, List<Use> uses) {
    double rate = (double) t.permits() / t.period();
    double level = 0;
    double most = 0;
    long before = 0;
    for (Use use : uses) {
      level = Math.max(0, level - rate * (use.time - before)) + use.permits;
      before = use.time;
      most = Math.max(most, level - t.burst());
    }
    return most;
  }

  /** Most above burst + rate × d, over all stretches d up to so long. */
  static long overBucket(Limit limit, List<Use> uses, long longest) {
    Terms t = limit.terms();
    double rate = (double) t.permits() / t.period();
    double most = 0;
    for (int from = 0; from < uses.size(); from++) {
      long began = uses.get(from).time;
      long sum = 0;
      for (int to = from; to < uses.size() && uses.get(to).time - began <= longest; to++) {
        sum += uses.get(to).permits;
        most = Math.max(most, sum - t.burst() - rate * (uses.get(to).time - began));
      }
    }
    return (long) Math.ceil(most - 1e-3);
  }

  /** Most within any stretch shorter than a period. */
  static long trailing(List<Use> uses, long period) {
    long most = 0;
    long sum = 0;
    int from = 0;
    for (Use use : uses) {
      sum += use.permits;
      while (uses.get(from).time <= use.time - period) {
        sum -= uses.get(from++).permits;
      }
      most = Math.max(most, sum);
    }
    return most;
  }

  /** Most within any aligned window. */
  private static long overWindow(Terms t, List<Use> uses) {
    long most = 0;
    long sum = 0;
    long window = 0;
    for (Use use : uses) {
      if (t.window(use.time) != window) {
        window = t.window(use.time);
        sum = 0;
      }
      sum += use.permits;
      most = Math.max(most, sum);
    }
    return most;
  }
}
