package io.weir.store.nodes;

import io.weir.rule.Limit;
import io.weir.store.Store;
import java.util.ArrayList;
import java.util.List;

/**
 * What this node has admitted on one counter and not yet told the shared store, by the window it
 * was admitted in. Guarded by the lock of its counter.
 */
final class Tally {
  private static final int MOST_WINDOWS = 3;

  /** Permits to be charged, and when they were used. */
  record Charge(long permits, long when) {}

  final long key;
  private Limit limit;
  private final List<Charge> untold = new ArrayList<>(1);
  private final List<Charge> owed = new ArrayList<>(0);
  private boolean asked;
  private boolean underWay;

  Tally(Limit limit, long key) {
    this.limit = limit;
    this.key = key;
  }

  /** The limit it was last held against. */
  Limit limit() {
    return limit;
  }

  /** Notes that somebody asked, under which limit, and how many permits it was given when. */
  void add(Limit under, long permits, long when) {
    limit = under;
    asked = true;
    if (permits > 0) {
      enter(new Charge(permits, when));
    }
  }

  private void enter(Charge one) {
    int last = untold.size() - 1;
    if (last >= 0 && limit.isSameWindow(untold.get(last).when(), one.when())) {
      long when = Math.max(untold.get(last).when(), one.when());
      untold.set(last, new Charge(untold.get(last).permits() + one.permits(), when));
      return;
    }
    untold.add(one);
    if (untold.size() > MOST_WINDOWS) {
      untold.remove(0); // two windows on nothing remembers it
    }
  }

  /**
   * Takes back permits that were given at that time; how many of them are told already. Of what is
   * being told nobody knows yet whether it is, so that waits for the {@linkplain #end end}.
   */
  long takeBack(long permits, long when) {
    long rest = permits;
    for (int i = untold.size() - 1; i >= 0 && rest > 0; i--) {
      Charge one = untold.get(i);
      if (when == Store.NOW || limit.isSameWindow(one.when(), when)) {
        long part = Math.min(rest, one.permits());
        rest -= part;
        untold.set(i, new Charge(one.permits() - part, one.when()));
      }
    }
    untold.removeIf(one -> one.permits() == 0);
    if (rest > 0 && underWay) {
      owed.add(new Charge(rest, when));
      return 0;
    }
    return rest;
  }

  /** Permits not told yet. */
  long untold() {
    return untold.stream().mapToLong(Charge::permits).sum();
  }

  /** Whether there is anything to ask or to tell, now that nothing is under way. */
  boolean isDue() {
    return !underWay && (asked || !untold.isEmpty());
  }

  boolean isUnderWay() {
    return underWay;
  }

  /** Hands over what is to be told. */
  List<Charge> begin() {
    List<Charge> all = List.copyOf(untold);
    untold.clear();
    asked = false;
    underWay = true;
    return all;
  }

  /**
   * Notes that all was told but for these, which were not answered.
   *
   * @return what was taken back meanwhile and is told
   */
  List<Charge> end(List<Charge> unanswered) {
    underWay = false;
    List<Charge> since = List.copyOf(untold);
    untold.clear();
    unanswered.forEach(this::enter);
    since.forEach(this::enter);
    List<Charge> back =
        owed.stream()
            .map(one -> new Charge(takeBack(one.permits(), one.when()), one.when()))
            .filter(one -> one.permits() > 0)
            .toList();
    owed.clear();
    return back;
  }
}
