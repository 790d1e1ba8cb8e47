package io.weir.store.nodes;

import io.weir.rule.Claim;
import io.weir.rule.Limit;
import io.weir.store.ClaimOutcome;
import io.weir.store.Store;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is reported of one synced counter: charges, or only the question what is left; and what the
 * store answered. Not thread-safe.
 */
final class SyncReport {
  /** By which part of a period the permits of one call may be dated later than they were used. */
  private static final long DATE_TOLERANCE_DIVISOR = 100;

  final SyncedCounter counter;
  final List<SyncedCounter.DatedCharge> charges;
  final List<SyncedCounter.DatedCharge> unanswered = new ArrayList<>(0);
  @Nullable ClaimOutcome answer;

  SyncReport(SyncedCounter tally, List<SyncedCounter.DatedCharge> charges) {
    this.counter = tally;
    this.charges = charges;
  }

  /** One charge of a report. */
  record SyncReportEntry(SyncReport report, SyncedCounter.DatedCharge charge) {
    Claim claim() {
      long permits = Math.min(charge.permits(), Claim.MAX_COST);
      return new Claim(report.counter.limit(), report.counter.key, permits);
    }

    /** Until when it may be dated without counting in another window, or for much longer. */
    long latestDate() {
      Limit limit = report.counter.limit();
      if (limit.algorithm().hasBurst() || charge.usedAt() == Store.NOW) {
        return Store.NOW;
      }
      long period = limit.parameters().periodMicros();
      long windowEnds = limit.parameters().windowStart(charge.usedAt()) + period - 1;
      return Math.min(windowEnds, charge.usedAt() + period / DATE_TOLERANCE_DIVISOR);
    }

    void recordAnswer(ClaimOutcome outcome) {
      if (outcome.degraded()) {
        report.unanswered.add(charge);
      } else {
        report.answer = outcome;
      }
    }
  }
}
