package io.weir.bench.redis;

import io.weir.bench.report.LatencyHistogram;
import io.weir.bench.report.ResultTable;
import java.time.Duration;
import java.util.List;

/**
 * Millions of callers who come once and are forgotten: the memory of Redis before, at the top and
 * afterwards, the longest that others had to wait meanwhile, who ask one at a time, the longest
 * that Redis worked on one call, which is the candidate's part in it, and the longest that a thread
 * was held up which only sleeps, which is the machine's.
 *
 * @param callers how many come
 * @param retention for how long each is to be remembered
 */
record GrowthMeasurement(int callers, Duration retention) {
  private static final Duration DEADLINE = Duration.ofSeconds(1);
  private static final BucketQuota PLENTY = new BucketQuota(100_000_000, Duration.ofMinutes(1));
  private static final int IN_FLIGHT = 64;
  private static final int OTHER_CALLERS = 1000;
  private static final double FORGOTTEN_SHARE = 0.02;
  private static final double MB = 1 << 20;

  /** Measures a candidate and enters what it shows. */
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
      CallerSequence known = CallerSequence.randomCallers(callers, callers + OTHER_CALLERS);
      try (ClosedLoop others = ClosedLoop.start(other, 1, known);
          SleepJitterProbe sleeper = new SleepJitterProbe(growingAsleep)) {
        others.recordInto(growing);
        ClosedLoop.runAll(candidate, IN_FLIGHT, CallerSequence.eachCallerOnce(0, callers));
        top = server.usedMemory();
        if (System.nanoTime() - start > retention.toNanos()) {
          throw new IllegalStateException(name + " took so long that the first are forgotten");
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

  /** Waits until nearly all that was added is gone again; what is in use then, or in the end. */
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
