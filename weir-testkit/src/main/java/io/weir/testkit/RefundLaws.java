package io.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.internal.algorithm.Algorithm;
import io.weir.internal.algorithm.CounterState;
import io.weir.internal.algorithm.LimitParameters;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The laws of {@link AlgorithmLaws} about permits that are held for a while and refunded. */
abstract class RefundLaws {
  static final int STEPS_PER_LIMIT = 100;

  /** The algorithm under test. */
  protected abstract Algorithm algorithm();

  /** The maximum number of permits in any interval of the length of a period. */
  protected abstract long bound(LimitParameters terms);

  /**
   * By how much the bound may be exceeded when requests are refunded while later requests are held,
   * and the later ones are refunded after that.
   */
  protected long refundSlack(LimitParameters terms) {
    return 0;
  }

  @Test
  void heldAndRefundedCharges_gainNothing() {
    long seed = RandomHistory.seed();
    RandomHistory history = new RandomHistory(seed);
    for (int done = 0; done < RandomHistory.steps(); done += STEPS_PER_LIMIT) {
      LimitParameters t = history.parameters(algorithm());
      CounterState s = new CounterState();
      List<HeldCharge> charges = new ArrayList<>();
      int refundInterval = 2 + history.below(STEPS_PER_LIMIT);
      for (int i = 0; i < STEPS_PER_LIMIT; i++) {
        long now = history.nextForward(t);
        algorithm().advance(t, s, now);
        long cost = history.cost(algorithm().capacity(t));
        boolean all = i % refundInterval == refundInterval - 1; // refund all at once, soon or late
        for (int k = charges.size() - 1; k >= 0 && (all || history.oneIn(10)); k--) {
          HeldCharge one = charges.get(k);
          if (one.cancelled) {
            algorithm().refund(t, s, now, one.chargedAt, one.cost);
            charges.remove(k);
          }
          cost = Math.max(1, Math.min(cost, algorithm().available(t, s, now)));
          take(t, s, now, cost, all ? false : history.oneIn(2)).ifPresent(charges::add);
        }
        take(t, s, now, cost, history.oneIn(2)).ifPresent(charges::add);
      }
      charges.removeIf(HeldCharge::cancelled);
      long bound = bound(t) + refundSlack(t);
      assertThat(maxInOnePeriod(charges, t)).as("seed %d, %s", seed, t).isLessThanOrEqualTo(bound);
    }
  }

  /** A charge, the date of its refund, and whether it will be refunded. */
  private record HeldCharge(long time, long cost, long chargedAt, boolean cancelled) {}

  private Optional<HeldCharge> take(
      LimitParameters t, CounterState s, long now, long cost, boolean cancelled) {
    if (cost > algorithm().available(t, s, now)) {
      return Optional.empty();
    }
    algorithm().charge(t, s, now, cost);
    return Optional.of(new HeldCharge(now, cost, chargedAt(t, s, now, cost), cancelled));
  }

  /** The maximum number of permits charged in any one period; charges are ordered by time. */
  private static long maxInOnePeriod(List<HeldCharge> charges, LimitParameters t) {
    long max = 0;
    long sum = 0;
    int first = 0;
    for (HeldCharge one : charges) {
      sum += one.cost;
      while (charges.get(first).time <= one.time - t.periodMicros()) {
        sum -= charges.get(first++).cost;
      }
      max = Math.max(max, sum);
    }
    return max;
  }

  /** The date of a refund of the last charge. */
  final long chargedAt(LimitParameters t, CounterState s, long now, long cost) {
    return algorithm().chargedAt(t, now, reset(t, s, now), cost);
  }

  final long reset(LimitParameters t, CounterState s, long now) {
    return algorithm().waitTime(t, s, now, algorithm().capacity(t));
  }
}
