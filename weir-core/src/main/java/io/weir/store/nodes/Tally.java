package io.weir.store.nodes;

import io.weir.rule.Limit;
import io.weir.store.Store;
import java.util.ArrayList;
import java.util.List;

/**
 * What this node has admitted on one synced counter and not yet reported to the shared store, by
 * the window it was admitted in, and how old its view of the counter is. Guarded by the lock of its
 * counter.
 */
final class Tally {
  private static final int MOST_WINDOWS = 3;
  private static final long NEVER = Long.MIN_VALUE / 2;

  /** Permits to be charged, and when they were used. */
  record Charge(long permits, long when) {}

  final long key;
  private Limit limit;
  private final List<Charge> untold = new ArrayList<>(0);
  private List<Charge> owed = List.of();
  private boolean asked;
  private boolean reporting;
  private long reported;
  private long reportedUntil;
  private long requested;
  private int requests;
  private long viewedAt = NEVER;
  private long aloneUntil = NEVER;

  Tally(Limit limit, long key) {
    this.limit = limit;
    this.key = key;
  }

  /** The limit it was last held against. */
  Limit limit() {
    return limit;
  }

  /** Notes that this node decided, under which limit, and how many permits it gave as of when. */
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
   * Takes back permits that were given at that time; returns how many of them are reported already.
   * Of those in a report under way nobody knows yet, so that waits for its {@linkplain #end end}.
   */
  long takeBack(long permits, long when) {
    long rest = permits;
    boolean told = Lease.isLog(limit) && when <= reportedUntil; // newer ones leave the log later
    for (int i = told ? -1 : untold.size() - 1; i >= 0 && rest > 0; i--) {
      Charge one = untold.get(i);
      if (when == Store.NOW || limit.isSameWindow(one.when(), when)) {
        long part = Math.min(rest, one.permits());
        rest -= part;
        untold.set(i, new Charge(one.permits() - part, one.when()));
      }
    }
    untold.removeIf(one -> one.permits() == 0);
    if (rest > 0 && reporting) {
      owed = new ArrayList<>(owed);
      owed.add(new Charge(rest, when));
      return 0;
    }
    return rest;
  }

  /** Permits not reported yet. */
  long untold() {
    return untold.stream().mapToLong(Charge::permits).sum();
  }

  /** Permits admitted here of which the store has not confirmed that it knows. */
  long unconfirmed() {
    return untold() + reported;
  }

  /** Notes that the store is asked to decide on these permits, and under which limit. */
  void request(Limit under, long permits) {
    limit = under;
    requests++;
    requested += permits;
  }

  /** Notes that the store has decided on these permits, or will not. */
  void requestDone(long permits) {
    requests--;
    requested -= permits;
  }

  /** Permits on which the store is deciding. */
  long requested() {
    return requested;
  }

  /** Whether an answer to what was asked at that time is newer than what the view shows. */
  boolean isNews(long sent) {
    return sent >= viewedAt;
  }

  /** Notes that the view shows what the store said when it was asked at that time. */
  void viewed(long sent) {
    viewedAt = sent;
  }

  /** Lets the view decide until that time, however old it is, since the store does not answer. */
  void decideAlone(long until) {
    aloneUntil = until;
  }

  /** Whether the view may decide: it is at most so old, or the store does not answer. */
  boolean mayDecide(long now, long maxAge) {
    return isFresh(now, maxAge) || now < aloneUntil;
  }

  private boolean isFresh(long now, long maxAge) {
    return now - viewedAt <= maxAge;
  }

  /** Whether there is anything to report or to ask, and no report is under way. */
  boolean isDue() {
    return !reporting && (asked || !untold.isEmpty());
  }

  /** Whether it may be forgotten: all is reported and the view is of no use any more. */
  boolean isIdle(long now, long maxAge) {
    return !reporting && requests == 0 && !asked && untold.isEmpty() && !isFresh(now, maxAge);
  }

  /** Begins a report; returns what is to be reported. */
  List<Charge> begin() {
    List<Charge> all = List.copyOf(untold);
    reported = untold();
    if (!all.isEmpty()) {
      reportedUntil = all.get(all.size() - 1).when();
    }
    untold.clear();
    asked = false;
    reporting = true;
    return all;
  }

  /**
   * Ends a report, of which these were not answered.
   *
   * @return what was taken back meanwhile and is reported
   */
  List<Charge> end(List<Charge> unanswered) {
    reporting = false;
    reported = 0;
    if (!unanswered.isEmpty()) {
      List<Charge> since = List.copyOf(untold);
      untold.clear();
      unanswered.forEach(this::enter);
      since.forEach(this::enter);
    }
    List<Charge> back =
        owed.stream()
            .map(one -> new Charge(takeBack(one.permits(), one.when()), one.when()))
            .filter(one -> one.permits() > 0)
            .toList();
    owed = List.of();
    return back;
  }
}
