package io.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.algorithm.Algorithm;
import io.weir.algorithm.CounterState;
import io.weir.algorithm.LimitParameters;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The laws of {@link AlgorithmLaws} that concern permits held for a while and given back. */
abstract class RefundLaws {
  static final int STEPS_PER_LIMIT = 100;

  /** The algorithm to hold to the laws. */
  protected abstract Algorithm algorithm();

  /** The most that one stretch of a period may admit. */
  protected abstract long bound(LimitParameters terms);

  /**
   * By how much the bound may be exceeded where requests that were charged before others are
   * refunded while those are held, and the others then too.
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
      int patience = 2 + history.below(STEPS_PER_LIMIT);
      for (int i = 0; i < STEPS_PER_LIMIT; i++) {
        long now = history.nextForward(t);
        algorithm().advance(t, s, now);
        long cost = history.cost(algorithm().capacity(t));
        boolean all = i % patience == patience - 1; // back at one moment, after a long time or soon
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

  /** A charge, what its refund is dated at, and whether it is to be given back some day. */
  private record HeldCharge(long time, long cost, long chargedAt, boolean cancelled) {}

  private Optional<HeldCharge> take(
      LimitParameters t, CounterState s, long now, long cost, boolean cancelled) {
    if (cost > algorithm().available(t, s, now)) {
      return Optional.empty();
    }
    algorithm().charge(t, s, now, cost);
    return Optional.of(new HeldCharge(now, cost, chargedAt(t, s, now, cost), cancelled));
  }

  /** The most permits charged in any stretch of one period, of charges in the order of time. */
  private static long maxInOnePeriod(List<HeldCharge> charges, LimitParameters t) {
    long most = 0;
    long sum = 0;
    int first = 0;
    for (HeldCharge one : charges) {
      sum += one.cost;
      while (charges.get(first).time <= one.time - t.periodMicros()) {
        sum -= charges.get(first++).cost;
      }
      most = Math.max(most, sum);
    }
    return most;
  }

  /** What a refund of the last charge is dated at. */
  final long chargedAt(LimitParameters t, CounterState s, long now, long cost) {
    return algorithm().chargedAt(t, now, reset(t, s, now), cost);
  }

  final long reset(LimitParameters t, CounterState s, long now) {
    return algorithm().waitTime(t, s, now, algorithm().capacity(t));
  }
}
