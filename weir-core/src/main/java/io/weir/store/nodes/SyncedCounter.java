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
final class SyncedCounter {
  private static final int MAX_WINDOWS = 3;
  private static final long NEVER = Long.MIN_VALUE / 2;

  /** Permits to be charged, and when they were used. */
  record DatedCharge(long permits, long usedAt) {}

  final long key;
  private Limit limit;
  private final List<DatedCharge> unreported = new ArrayList<>(0);
  private List<DatedCharge> refundsDuringReport = List.of();
  private boolean usedSinceReport;
  private boolean isReporting;
  private long permitsInReport;
  private long reportedUntil;
  private long requestedPermits;
  private int pendingRequests;
  private long viewUpdatedAt = NEVER;
  private long decideLocallyUntil = NEVER;

  SyncedCounter(Limit limit, long key) {
    this.limit = limit;
    this.key = key;
  }

  /** The limit it was last held against. */
  Limit limit() {
    return limit;
  }

  /** Notes that this node decided, under which limit, and how many permits it gave as of when. */
  void recordUsage(Limit under, long permits, long when) {
    limit = under;
    usedSinceReport = true;
    if (permits > 0) {
      append(new DatedCharge(permits, when));
    }
  }

  private void append(DatedCharge one) {
    int last = unreported.size() - 1;
    if (last >= 0 && limit.isSameWindow(unreported.get(last).usedAt(), one.usedAt())) {
      long when = Math.max(unreported.get(last).usedAt(), one.usedAt());
      unreported.set(last, new DatedCharge(unreported.get(last).permits() + one.permits(), when));
      return;
    }
    unreported.add(one);
    if (unreported.size() > MAX_WINDOWS) {
      unreported.remove(0); // two windows on nothing remembers it
    }
  }

  /**
   * Takes back permits that were given at that time; returns how many of them are reported already.
   * Of those in a report under way nobody knows yet, so that waits for its {@linkplain #endReport
   * end}.
   */
  long cancelUnreported(long permits, long when) {
    long rest = permits;
    boolean told =
        Lease.isSlidingLog(limit) && when <= reportedUntil; // newer ones leave the log later
    for (int i = told ? -1 : unreported.size() - 1; i >= 0 && rest > 0; i--) {
      DatedCharge one = unreported.get(i);
      if (when == Store.NOW || limit.isSameWindow(one.usedAt(), when)) {
        long part = Math.min(rest, one.permits());
        rest -= part;
        unreported.set(i, new DatedCharge(one.permits() - part, one.usedAt()));
      }
    }
    unreported.removeIf(one -> one.permits() == 0);
    if (rest > 0 && isReporting) {
      refundsDuringReport = new ArrayList<>(refundsDuringReport);
      refundsDuringReport.add(new DatedCharge(rest, when));
      return 0;
    }
    return rest;
  }

  /** Permits not reported yet. */
  long unreportedPermits() {
    return unreported.stream().mapToLong(DatedCharge::permits).sum();
  }

  /** Permits admitted here of which the store has not confirmed that it knows. */
  long unconfirmedPermits() {
    return unreportedPermits() + permitsInReport;
  }

  /** Notes that the store is asked to decide on these permits, and under which limit. */
  void beginRequest(Limit under, long permits) {
    limit = under;
    pendingRequests++;
    requestedPermits += permits;
  }

  /** Notes that the store has decided on these permits, or will not. */
  void endRequest(long permits) {
    pendingRequests--;
    requestedPermits -= permits;
  }

  /** Permits on which the store is deciding. */
  long requestedPermits() {
    return requestedPermits;
  }

  /** Whether an answer to what was asked at that time is newer than what the view shows. */
  boolean isNewerThanView(long sent) {
    return sent >= viewUpdatedAt;
  }

  /** Notes that the view shows what the store said when it was asked at that time. */
  void markViewUpdated(long sent) {
    viewUpdatedAt = sent;
  }

  /** Lets the view decide until that time, however old it is, since the store does not answer. */
  void allowLocalDecisionsUntil(long until) {
    decideLocallyUntil = until;
  }

  /** Whether the view may decide: it is at most so old, or the store does not answer. */
  boolean canDecideLocally(long now, long maxAge) {
    return isFresh(now, maxAge) || now < decideLocallyUntil;
  }

  private boolean isFresh(long now, long maxAge) {
    return now - viewUpdatedAt <= maxAge;
  }

  /** Whether there is anything to report or to ask, and no report is under way. */
  boolean isReportDue() {
    return !isReporting && (usedSinceReport || !unreported.isEmpty());
  }

  /** Whether it may be forgotten: all is reported and the view is of no use any more. */
  boolean isIdle(long now, long maxAge) {
    return !isReporting
        && pendingRequests == 0
        && !usedSinceReport
        && unreported.isEmpty()
        && !isFresh(now, maxAge);
  }

  /** Begins a report; returns what is to be reported. */
  List<DatedCharge> beginReport() {
    List<DatedCharge> all = List.copyOf(unreported);
    permitsInReport = unreportedPermits();
    if (!all.isEmpty()) {
      reportedUntil = all.get(all.size() - 1).usedAt();
    }
    unreported.clear();
    usedSinceReport = false;
    isReporting = true;
    return all;
  }

  /**
   * Ends a report, of which these were not answered.
   *
   * @return what was taken back meanwhile and is reported
   */
  List<DatedCharge> endReport(List<DatedCharge> unanswered) {
    isReporting = false;
    permitsInReport = 0;
    if (!unanswered.isEmpty()) {
      List<DatedCharge> since = List.copyOf(unreported);
      unreported.clear();
      unanswered.forEach(this::append);
      since.forEach(this::append);
    }
    List<DatedCharge> back =
        refundsDuringReport.stream()
            .map(
                one -> new DatedCharge(cancelUnreported(one.permits(), one.usedAt()), one.usedAt()))
            .filter(one -> one.permits() > 0)
            .toList();
    refundsDuringReport = List.of();
    return back;
  }
}
