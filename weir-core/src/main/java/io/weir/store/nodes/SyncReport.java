package io.weir.store.nodes;

import io.weir.rule.Claim;
import io.weir.rule.Limit;
import io.weir.store.Outcome;
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
  private static final long DATING_PARTS = 100;

  final Tally tally;
  final List<Tally.Charge> charges;
  final List<Tally.Charge> unanswered = new ArrayList<>(0);
  @Nullable Outcome said;

  SyncReport(Tally tally, List<Tally.Charge> charges) {
    this.tally = tally;
    this.charges = charges;
  }

  /** One charge of a report. */
  record Entry(SyncReport report, Tally.Charge charge) {
    Claim claim() {
      long permits = Math.min(charge.permits(), Claim.MAX_COST);
      return new Claim(report.tally.limit(), report.tally.key, permits);
    }

    /** Until when it may be dated without counting in another window, or for much longer. */
    long latest() {
      Limit limit = report.tally.limit();
      if (limit.algorithm().bursts() || charge.when() == Store.NOW) {
        return Store.NOW;
      }
      long period = limit.terms().period();
      long windowEnds = limit.terms().window(charge.when()) + period - 1;
      return Math.min(windowEnds, charge.when() + period / DATING_PARTS);
    }

    void answered(Outcome outcome) {
      if (outcome.degraded()) {
        report.unanswered.add(charge);
      } else {
        report.said = outcome;
      }
    }
  }
}
