package io.weir.bench.redis;

import io.weir.bench.report.LatencyHistogram;
import io.weir.bench.report.ResultTable;
import java.time.Duration;
import java.util.List;

/**
 * Adds millions of callers that make one request each and then expire. Measures the memory of Redis
 * before, at the peak and afterwards; the longest latency of other callers meanwhile; the longest
 * Redis command, which is the candidate's share of it; and the longest delay of a sleeping thread,
 * which is the machine's share.
 *
 * @param callers the number of callers
 * @param retention how long the state of a caller is kept
 */
record GrowthMeasurement(int callers, Duration retention) {
  private static final Duration DEADLINE = Duration.ofSeconds(1);
  private static final BucketQuota PLENTY = new BucketQuota(100_000_000, Duration.ofMinutes(1));
  private static final int IN_FLIGHT = 64;
  private static final int OTHER_CALLERS = 1000;
  private static final double FORGOTTEN_SHARE = 0.02;
  private static final double MB = 1 << 20;

  /** Measures a candidate and adds the values to the table. */
  void measure(String name, ResultTable table) throws InterruptedException {
    BucketQuota quota = new BucketQuota(100, retention).withCost(100);
    try (CandidateSet lineup = new CandidateSet(quota, DEADLINE, List.of(name));
        LimiterCandidate other = lineup.openAnother(name, PLENTY)) {
      LimiterCandidate candidate = lineup.candidate(name);
      MeasuredRedis server = lineup.server(name);
      server.enableSlowLog();
      double before = server.usedMemory();
      LatencyHistogram growing = new LatencyHistogram();
      LatencyHistogram forgetting = new LatencyHistogram();
      LatencyHistogram growingAsleep = new LatencyHistogram();
      LatencyHistogram forgettingAsleep = new LatencyHistogram();
      double top;
      double after;
      double longestCall;
      long start = System.nanoTime();
      CallerSequence otherCallers = CallerSequence.randomCallers(callers, callers + OTHER_CALLERS);
      try (ClosedLoop others = ClosedLoop.start(other, 1, otherCallers);
          SleepJitterProbe sleeper = new SleepJitterProbe(growingAsleep)) {
        others.recordInto(growing);
        ClosedLoop.runAll(candidate, IN_FLIGHT, CallerSequence.eachCallerOnce(0, callers));
        top = server.usedMemory();
        if (System.nanoTime() - start > retention.toNanos()) {
          throw new IllegalStateException(name + " was too slow: the first callers have expired");
        }
        longestCall = server.longestCallMillis();
        others.recordInto(forgetting);
        sleeper.recordInto(forgettingAsleep);
        after = awaitForgotten(server, before, top);
      }
      table.add(name, "growing-ms", growing.maxMillis());
      table.add(name, "growing-call-ms", longestCall);
      table.add(name, "growing-asleep-ms", growingAsleep.maxMillis());
      table.add(name, "forgetting-ms", forgetting.maxMillis());
      table.add(name, "forgetting-call-ms", server.longestCallMillis());
      table.add(name, "forgetting-asleep-ms", forgettingAsleep.maxMillis());
      table.add(name, "before-mb", before / MB);
      table.add(name, "top-mb", top / MB);
      table.add(name, "after-mb", after / MB);
      table.add(name, "seconds", (System.nanoTime() - start) / 1e9);
    }
  }

  /**
   * Waits until nearly all added memory is freed, with a time limit, and returns the used bytes.
   */
  private double awaitForgotten(MeasuredRedis server, double before, double top)
      throws InterruptedException {
    long end = System.nanoTime() + retention.multipliedBy(3).toNanos();
    double used = top;
    while (used > before + FORGOTTEN_SHARE * (top - before) && System.nanoTime() - end < 0) {
      Thread.sleep(200);
      used = server.usedMemory();
    }
    return used;
  }
}
