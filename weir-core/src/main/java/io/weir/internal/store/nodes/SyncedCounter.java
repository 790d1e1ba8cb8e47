package io.weir.internal.store.nodes;

import io.weir.internal.rule.Limit;
import io.weir.internal.store.ClaimStore;
import java.util.ArrayList;
import java.util.List;

/**
 * The state of one synced counter on this node: the usage that is not yet reported to the shared
 * store, by window, and how old the view of the counter is. Guarded by the lock of the counter.
 */
final class SyncedCounter {
  private static final int MAX_WINDOWS = 3;
  private static final long NEVER = Long.MIN_VALUE / 2;

  /** Permits to charge, and when they were used. */
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

  /** The limit of the last decision. */
  Limit limit() {
    return limit;
  }

  /** Records a decision of this node: its limit, the permits it charged and their date. */
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
      unreported.remove(0); // two windows later no counter includes it
    }
  }

  /**
   * Cancels unreported usage of that time; returns how many of the permits are reported already.
   * Whether permits of a report in progress were charged is not known, so their refund waits for
   * its {@linkplain #endReport end}.
   */
  long cancelUnreported(long permits, long when) {
    long rest = permits;
    boolean isReported =
        Lease.isTrailing(limit) && when <= reportedUntil; // newer ones expire later
    for (int i = isReported ? -1 : unreported.size() - 1; i >= 0 && rest > 0; i--) {
      DatedCharge one = unreported.get(i);
      if (when == ClaimStore.NOW || limit.isSameWindow(one.usedAt(), when)) {
        long canceled = Math.min(rest, one.permits());
        rest -= canceled;
        unreported.set(i, new DatedCharge(one.permits() - canceled, one.usedAt()));
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

  /** The permits that are not reported yet. */
  long unreportedPermits() {
    return unreported.stream().mapToLong(DatedCharge::permits).sum();
  }

  /** The permits used here whose report the store has not confirmed. */
  long unconfirmedPermits() {
    return unreportedPermits() + permitsInReport;
  }

  /** Records that the store was asked to decide on these permits, and under which limit. */
  void beginRequest(Limit under, long permits) {
    limit = under;
    pendingRequests++;
    requestedPermits += permits;
  }

  /** Records that the store has decided on these permits, or will not. */
  void endRequest(long permits) {
    pendingRequests--;
    requestedPermits -= permits;
  }

  /** The permits on which the store is deciding. */
  long requestedPermits() {
    return requestedPermits;
  }

  /** Whether an answer to a request of that time is newer than the view. */
  boolean isNewerThanView(long sent) {
    return sent >= viewUpdatedAt;
  }

  /** Records that the view shows the store's answer to a request of that time. */
  void markViewUpdated(long sent) {
    viewUpdatedAt = sent;
  }

  /** Lets the view decide until that time, whatever its age, since the store does not answer. */
  void allowLocalDecisionsUntil(long until) {
    decideLocallyUntil = until;
  }

  /** Whether the view may decide: it is not too old, or the store does not answer. */
  boolean canDecideLocally(long now, long maxAge) {
    return isFresh(now, maxAge) || now < decideLocallyUntil;
  }

  private boolean isFresh(long now, long maxAge) {
    return now - viewUpdatedAt <= maxAge;
  }

  /** Whether there is usage to report or a view to update, and no report is in progress. */
  boolean isReportDue() {
    return !isReporting && (usedSinceReport || !unreported.isEmpty());
  }

  /** Whether it can be removed: everything is reported and the view is too old. */
  boolean isIdle(long now, long maxAge) {
    return !isReporting
        && pendingRequests == 0
        && !usedSinceReport
        && unreported.isEmpty()
        && !isFresh(now, maxAge);
  }

  /** Begins a report; returns the charges to report. */
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
   * Ends a report.
   *
   * @param unanswered the charges that were not answered and must be reported again
   * @return the reported charges that were canceled meanwhile and must be refunded
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
