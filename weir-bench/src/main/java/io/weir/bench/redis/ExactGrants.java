package io.weir.bench.redis;

import io.weir.bench.report.Table;
import java.time.Duration;
import java.util.List;

/** One hot key asked for more than it has: what was granted of what its bucket could give. */
final class ExactGrants {
  private static final Duration DEADLINE = Duration.ofSeconds(1);
  private static final Quota QUOTA = new Quota(20_000, Duration.ofMinutes(1));
  private static final int IN_FLIGHT = 256;
  private static final double LEAST = 0.995;
  private static final List<String> CANDIDATES =
      List.of(Lineup.WEIR, Lineup.SCRIPT, Lineup.BATCHING);

  private final Table grants =
      Table.higherIsBetter("one hot key until it is refused, 256 in flight", "permits");

  Table table() {
    return grants;
  }

  void measure() throws InterruptedException {
    try (Lineup lineup = new Lineup(QUOTA, DEADLINE, CANDIDATES)) {
      for (String name : CANDIDATES) {
        long start = System.nanoTime();
        ClosedLoop loop = hammer(lineup.candidate(name));
        double seconds = (System.nanoTime() - start) / 1e9;
        double possible = Math.floor(QUOTA.permits() + QUOTA.refill(seconds));
        grants.add(name, "granted", (double) loop.granted());
        grants.add(name, "possible", possible);
      }
    }
    double granted = grants.median(Lineup.WEIR, "granted");
    double possible = grants.median(Lineup.WEIR, "possible");
    grants.result("hot-256-granted-of-possible", granted, possible);
    if (granted > possible || granted < LEAST * possible) {
      grants.fail("one hot key: granted " + granted + " of " + possible);
    }
  }

  /** Asks for a second and waits for all answers. */
  private static ClosedLoop hammer(Candidate candidate) throws InterruptedException {
    Callers one = Callers.any(0, 1);
    try (ClosedLoop loop = ClosedLoop.start(candidate, IN_FLIGHT, one)) {
      Thread.sleep(1000);
      return loop;
    }
  }
}
