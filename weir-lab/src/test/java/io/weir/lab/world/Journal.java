package io.weir.lab.world;

import io.weir.Decision;
import io.weir.rule.Claim;
import io.weir.rule.Consistency.Kind;
import io.weir.store.Ask;
import io.weir.store.Mode;
import io.weir.store.Outcome;
import io.weir.store.nodes.Part;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** All that happened in a run, a hash of it, and what should not have. */
final class Journal {
  final Map<Long, Counter> counters = new LinkedHashMap<>();
  final List<Made> decisions = new ArrayList<>();
  final List<String> wrong = new ArrayList<>();
  private long hash = 17;

  /** A decision; times in truth. */
  record Made(long asked, long at, int node, Decision decision) {}

  /** Notes that something happened, in this order. */
  void note(long... numbers) {
    for (long number : numbers) {
      hash = (hash ^ number) * 0x9E3779B97F4A7C15L;
      hash ^= hash >>> 29;
    }
  }

  long hash() {
    return hash;
  }

  void complain(String what) {
    if (wrong.size() < 20) {
      wrong.add(what);
    }
  }

  private Counter counter(Claim claim) {
    return counters.computeIfAbsent(claim.key(), key -> new Counter(claim.limit(), key));
  }

  void served(Ask ask, Outcome[] said, long now) {
    Claim[] claims = ask.claims();
    boolean admits = Part.admits(claims, said);
    for (int i = 0; i < claims.length; i++) {
      Outcome o = said[i];
      long permits =
          switch (ask.mode()) {
            case TAKE -> admits && o.fits() ? claims[i].cost() : 0;
            case PEEK -> 0;
            case FORCE -> claims[i].cost();
            case LEASE -> o.fits() ? claims[i].cost() : o.remaining();
            case REFUND -> -claims[i].cost();
          };
      note(
          now,
          ask.mode().name().hashCode(),
          claims[i].key(),
          claims[i].cost(),
          o.remaining(),
          o.reset());
      Counter counter = counter(claims[i]);
      counter.charged += permits;
      boolean told = ask.mode() == Mode.FORCE;
      counter.served.add(new Counter.Served(now, permits, ask.when(o.time()), told));
    }
  }

  void decided(Made made, boolean atOnce) {
    decisions.add(made);
    Decision d = made.decision;
    note(made.at, made.node, d.allowed() ? 1 : 0, d.remaining(), d.degraded() ? 1 : 0);
    for (int i = 0; i < d.size() && d.allowed(); i++) {
      Outcome o = d.outcome(i);
      if (o.fits()) {
        Counter counter = counter(d.claim(i));
        long cost = d.claim(i).cost();
        counter.admitted.add(
            new Counter.Admission(made.at, made.node, cost, o.time(), o.degraded(), atOnce));
        if (!o.degraded()) {
          spend(counter, cost, made);
        }
      }
    }
  }

  private void spend(Counter counter, long cost, Made made) {
    counter.spent += cost;
    boolean shared = counter.kind() == Kind.LEASED || counter.kind() == Kind.EXACT;
    if (shared && counter.spent > counter.charged) {
      complain(
          counter.limit.rule().consistency().kind()
              + " "
              + counter.limit
              + ": "
              + counter.spent
              + " permits spent, but only "
              + counter.charged
              + " charged by then, at "
              + (made.at - World.START));
    }
  }
}
