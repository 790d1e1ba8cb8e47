package io.weir.lab.world;

import io.weir.Decision;
import io.weir.Request;
import io.weir.algorithm.Algorithms;
import io.weir.algorithm.Terms;
import io.weir.rule.Claim;
import io.weir.rule.Consistency.Kind;
import io.weir.rule.Limit;
import io.weir.store.Mode;
import io.weir.store.Outcome;
import java.util.Map;
import java.util.TreeMap;

/** Whether nodes come to see what the store has. */
final class Views {
  private static final int LOOKS = 40;

  private Views() {}

  /** How far a view and the store were apart when they were closest. */
  private static final class Seen {
    long apart = Long.MAX_VALUE;
    private long before = -1;

    /** A view that was right a moment ago is right: much may leave a log at once. */
    void look(long here, long there, long moves) {
      long last = before < 0 ? there : before;
      long below = Math.min(last, there) - here;
      long above = here - Math.max(last, there);
      apart = Math.min(apart, Math.max(0, Math.max(below, above) - moves));
      before = there;
    }
  }

  /** Asked again, each node soon knows what the store has left. */
  static void converge(Run run) {
    Scenario scenario = run.scenario;
    Journal journal = run.journal;
    long longest = 0;
    for (Counter counter : journal.counters.values()) {
      longest = Math.max(longest, counter.limit.rule().consistency().syncEvery().toNanos() / 1000);
    }
    if (longest == 0) {
      return;
    }
    Map<String, Seen> seen = new TreeMap<>();
    long began = run.world.time().micros() - World.START;
    long step = 2 * (longest + scenario.patience()) / LOOKS;
    for (int i = 0; i <= LOOKS; i++) {
      run.until(began + i * step);
      for (int node = 0; node < run.world.nodes().size(); node++) {
        if (!run.world.nodes().get(node).isDead()) {
          look(run, node, step, seen);
        }
      }
    }
    seen.forEach(
        (what, of) -> {
          if (of.apart > 0) {
            journal.complain("the view of " + what + " stays " + of.apart + " permits apart");
          }
        });
  }

  private static void look(Run run, int node, long step, Map<String, Seen> seen) {
    for (int caller = 0; caller < run.scenario.callers(); caller++) {
      Request request = Request.of("user", "caller" + caller);
      var answer = run.world.nodes().get(node).limiter().peek(request);
      var unused = answer.thenAccept(decision -> compare(run, decision, node, step, seen));
    }
  }

  private static void compare(Run run, Decision d, int node, long step, Map<String, Seen> seen) {
    for (int i = 0; i < d.size(); i++) {
      Limit limit = d.claim(i).limit();
      if (limit.rule().consistency().kind() == Kind.SYNCED) {
        Claim[] claim = {d.claim(i)};
        Outcome there = run.world.server().counters().take(claim, Mode.PEEK).join()[0];
        String what = limit + " " + limit.algorithm().name() + " on node " + node;
        long moves = 1 + moves(run, d.claim(i), step);
        seen.computeIfAbsent(
                what + ", counter " + Long.toHexString(d.claim(i).key()), w -> new Seen())
            .look(d.outcome(i).remaining(), there.remaining(), moves);
      }
    }
  }

  /**
   * What may come back since a view was corrected; of a log, what it was told at once, here and
   * there.
   */
  private static long moves(Run run, Claim claim, long step) {
    Terms t = claim.limit().terms();
    long onAverage = t.permits() * (step + run.scenario.patience()) / t.period();
    boolean log = claim.limit().algorithm() == Algorithms.SLIDING_LOG;
    Counter counter = run.journal.counters.get(claim.key());
    long atOnce =
        counter == null || !log
            ? 0
            : counter.served.stream().mapToLong(Counter.Served::permits).max().orElse(0);
    return Math.max(4 * onAverage, 2 * atOnce);
  }
}
