package io.weir.bench.redis;

import io.weir.bench.report.ResultTable;
import java.time.Duration;
import java.util.List;

/** Overloads one hot key and compares the granted permits with those its bucket allows. */
final class ExactGrantsCheck {
  private static final Duration DEADLINE = Duration.ofSeconds(1);
  private static final BucketQuota QUOTA = new BucketQuota(20_000, Duration.ofMinutes(1));
  private static final int IN_FLIGHT = 256;
  private static final double MIN_GRANTED_SHARE = 0.995;
  private static final List<String> CANDIDATES =
      List.of(CandidateSet.WEIR, CandidateSet.SCRIPT, CandidateSet.BATCHING);

  private final ResultTable grants =
      ResultTable.higherIsBetter("one hot key until it is refused, 256 in flight", "permits");

  ResultTable table() {
    return grants;
  }

  void measure() throws InterruptedException {
    try (CandidateSet lineup = new CandidateSet(QUOTA, DEADLINE, CANDIDATES)) {
      for (String name : CANDIDATES) {
        long start = System.nanoTime();
        ClosedLoop loop = saturate(lineup.candidate(name));
        double seconds = (System.nanoTime() - start) / 1e9;
        double possible = Math.floor(QUOTA.permits() + QUOTA.permitsRefilledIn(seconds));
        grants.add(name, "granted", (double) loop.granted());
        grants.add(name, "possible", possible);
      }
    }
    double granted = grants.median(CandidateSet.WEIR, "granted");
    double possible = grants.median(CandidateSet.WEIR, "possible");
    grants.addResult("hot-256-granted-of-possible", granted, possible);
    if (granted > possible || granted < MIN_GRANTED_SHARE * possible) {
      grants.addFailure("one hot key: granted " + granted + " of " + possible);
    }
  }

  /** Sends requests for a second and waits for all answers. */
  private static ClosedLoop saturate(LimiterCandidate candidate) throws InterruptedException {
    CallerSequence one = CallerSequence.randomCallers(0, 1);
    try (ClosedLoop loop = ClosedLoop.start(candidate, IN_FLIGHT, one)) {
      Thread.sleep(1000);
      return loop;
    }
  }
}
