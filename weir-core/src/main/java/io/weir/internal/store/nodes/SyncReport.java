package io.weir.internal.store.nodes;

import io.weir.internal.algorithm.WindowModel;
import io.weir.internal.rule.Claim;
import io.weir.internal.rule.Limit;
import io.weir.internal.store.ClaimOutcome;
import io.weir.internal.store.ClaimStore;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The report of one synced counter: its charges, or none to query what is left; and the answer of
 * the store. Not thread-safe.
 */
final class SyncReport {
  /** By this fraction of a period the charges of one call may be dated later than their use. */
  private static final long DATE_TOLERANCE_DIVISOR = 100;

  final SyncedCounter counter;
  final List<SyncedCounter.DatedCharge> charges;
  final List<SyncedCounter.DatedCharge> unanswered = new ArrayList<>(0);
  @Nullable ClaimOutcome answer;

  SyncReport(SyncedCounter counter, List<SyncedCounter.DatedCharge> charges) {
    this.counter = counter;
    this.charges = charges;
  }

  /** One charge of a report. */
  record SyncReportEntry(SyncReport report, SyncedCounter.DatedCharge charge) {
    Claim claim() {
      long permits = Math.min(charge.permits(), Claim.MAX_COST);
      return new Claim(report.counter.limit(), report.counter.key, permits);
    }

    /** The latest date that does not count in another window, or noticeably longer. */
    long latestDate() {
      Limit limit = report.counter.limit();
      if (limit.windowModel() == WindowModel.CONTINUOUS || charge.usedAt() == ClaimStore.NOW) {
        return ClaimStore.NOW;
      }
      long period = limit.parameters().periodMicros();
      long windowEnds = limit.parametersAt(charge.usedAt()).windowEnd(charge.usedAt()) - 1;
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
