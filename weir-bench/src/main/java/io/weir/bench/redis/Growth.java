package io.weir.bench.redis;

import io.weir.bench.report.Latencies;
import io.weir.bench.report.Table;
import java.time.Duration;
import java.util.List;

/**
 * Millions of callers who come once and are forgotten: the memory of Redis before, at the top and
 * afterwards, the longest that others had to wait meanwhile, who ask one at a time, the longest
 * that Redis worked on one call, which is the candidate's part in it, and the longest that a thread
 * was held up which only sleeps, which is the machine's.
 *
 * @param callers how many come
 * @param memory for how long each is to be remembered
 */
record Growth(int callers, Duration memory) {
  private static final Duration DEADLINE = Duration.ofSeconds(1);
  private static final Quota PLENTY = new Quota(100_000_000, Duration.ofMinutes(1));
  private static final int IN_FLIGHT = 64;
  private static final int OTHERS = 1000;
  private static final double FORGOTTEN = 0.02;
  private static final double MB = 1 << 20;

  /** Measures a candidate and enters what it shows. */
  void measure(String name, Table table) throws InterruptedException {
    Quota quota = new Quota(100, memory).costing(100);
    try (Lineup lineup = new Lineup(quota, DEADLINE, List.of(name));
        Candidate other = lineup.another(name, PLENTY)) {
      Candidate candidate = lineup.candidate(name);
      Server server = lineup.server(name);
      server.noteSlowCalls();
      double before = server.usedMemory();
      Latencies growing = new Latencies();
      Latencies forgetting = new Latencies();
      Latencies growingAsleep = new Latencies();
      Latencies forgettingAsleep = new Latencies();
      double top;
      double after;
      double longestCall;
      long start = System.nanoTime();
      Callers known = Callers.any(callers, callers + OTHERS);
      try (ClosedLoop others = ClosedLoop.start(other, 1, known);
          Sleeper sleeper = new Sleeper(growingAsleep)) {
        others.record(growing);
        ClosedLoop.runOut(candidate, IN_FLIGHT, Callers.each(0, callers));
        top = server.usedMemory();
        if (System.nanoTime() - start > memory.toNanos()) {
          throw new IllegalStateException(name + " took so long that the first are forgotten");
        }
        longestCall = server.longestCallMillis();
        others.record(forgetting);
        sleeper.record(forgettingAsleep);
        after = awaitForgotten(server, before, top);
      }
      table.add(name, "growing-ms", growing.longestMillis());
      table.add(name, "growing-call-ms", longestCall);
      table.add(name, "growing-asleep-ms", growingAsleep.longestMillis());
      table.add(name, "forgetting-ms", forgetting.longestMillis());
      table.add(name, "forgetting-call-ms", server.longestCallMillis());
      table.add(name, "forgetting-asleep-ms", forgettingAsleep.longestMillis());
      table.add(name, "before-mb", before / MB);
      table.add(name, "top-mb", top / MB);
      table.add(name, "after-mb", after / MB);
      table.add(name, "seconds", (System.nanoTime() - start) / 1e9);
    }
  }

  /** Waits until nearly all that was added is gone again; what is in use then, or in the end. */
  private double awaitForgotten(Server server, double before, double top)
      throws InterruptedException {
    long end = System.nanoTime() + memory.multipliedBy(3).toNanos();
    double used = top;
    while (used > before + FORGOTTEN * (top - before) && System.nanoTime() - end < 0) {
      Thread.sleep(200);
      used = server.usedMemory();
    }
    return used;
  }
}
