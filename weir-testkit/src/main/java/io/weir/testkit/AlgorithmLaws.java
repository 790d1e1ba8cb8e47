package io.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.weir.internal.algorithm.CounterState;
import io.weir.internal.algorithm.LimitParameters;
import io.weir.internal.rule.Claim;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/**
 * The laws that every algorithm must obey, checked on random histories. Extend it for each
 * algorithm.
 *
 * <p>A failure prints its seed; {@code -Dweir.seed=…} reproduces it.
 */
public abstract class AlgorithmLaws extends RefundLaws {
  @Test
  void advanceInSteps_equalsAdvanceAtOnce() {
    atEveryStep(
        (run, s) -> {
          CounterState direct = copy(s);
          CounterState stepwise = copy(s);
          long end = run.now + run.parameters.periodMicros() / 3 + 7;
          long middle = run.now + run.history.below((int) Math.min(end - run.now, 1 << 30));
          algorithm().advance(run.parameters, direct, end);
          algorithm().advance(run.parameters, stepwise, middle);
          algorithm().advance(run.parameters, stepwise, end);
          assertThat(stepwise).hasToString(direct.toString());
        });
  }

  @Test
  void clockStepBack_refillsNothing() {
    atEveryStep(
        (run, s) -> {
          long back =
              1L + run.history.below((int) Math.min(run.parameters.periodMicros(), 1 << 30));
          long before = algorithm().available(run.parameters, s, run.now);
          CounterState earlier = copy(s);
          algorithm().advance(run.parameters, earlier, run.now - back);
          assertThat(algorithm().available(run.parameters, earlier, run.now - back))
              .isLessThanOrEqualTo(before);
        });
  }

  @Test
  void clockStepBack_keepsWaitWithinMaximum() {
    atEveryStep(
        (run, s) -> {
          long longest = longestWait(run.parameters);
          CounterState earlier = copy(s);
          long back = run.now - run.parameters.periodMicros() * (1L + run.history.below(5000));
          algorithm().advance(run.parameters, earlier, back);
          long wait =
              algorithm()
                  .waitTime(run.parameters, earlier, back, algorithm().capacity(run.parameters));
          assertThat(wait).isLessThanOrEqualTo(longest);
        });
  }

  @Test
  void debt_equalsForcedChargeBeyondAvailable() {
    atEveryStep(
        (run, s) -> {
          long debt = algorithm().debt(run.parameters, s, run.now);
          assertThat(algorithm().available(run.parameters, s, run.now) == 0 || debt == 0).isTrue();
          CounterState fresh = new CounterState();
          algorithm().advance(run.parameters, fresh, run.now);
          long capacity = algorithm().capacity(run.parameters);
          long beyond = Math.min(run.cost, capacity);
          algorithm().charge(run.parameters, fresh, run.now, capacity + beyond);
          assertThat(algorithm().debt(run.parameters, fresh, run.now)).isEqualTo(beyond);
        });
  }

  @Test
  void waitTime_isExact() {
    atEveryStep(
        (run, s) -> {
          long cost = Math.min(run.cost, algorithm().capacity(run.parameters));
          long wait = algorithm().waitTime(run.parameters, s, run.now, cost);
          if (cost <= algorithm().available(run.parameters, s, run.now)) {
            assertThat(wait).isZero();
            return;
          }
          assertThat(wait).isPositive();
          assertThat(availableAt(run, s, run.now + wait)).isGreaterThanOrEqualTo(cost);
          assertThat(availableAt(run, s, run.now + wait - 1)).isLessThan(cost);
        });
  }

  @Test
  void stateAfterFullWait_isFresh() {
    atEveryStep(
        (run, s) -> {
          CounterState later = copy(s);
          long wait =
              algorithm()
                  .waitTime(run.parameters, s, run.now, algorithm().capacity(run.parameters));
          algorithm().advance(run.parameters, later, run.now + wait);
          assertThat(later.isFresh()).as("%s after %d", later, wait).isTrue();
        });
  }

  @Test
  void refund_neverExceedsCapacity() {
    atEveryStep(
        (run, s) -> {
          CounterState refunded = copy(s);
          long room = algorithm().available(run.parameters, s, run.now);
          algorithm().refund(run.parameters, refunded, run.now, run.now, run.cost);
          assertThat(algorithm().available(run.parameters, refunded, run.now))
              .isBetween(room, algorithm().capacity(run.parameters));
        });
  }

  @Test
  void fullRefund_makesStateFresh() {
    atEveryStep(
        (run, s) -> {
          CounterState reset = copy(s);
          algorithm().refund(run.parameters, reset, run.now, run.now, Claim.MAX_COST);
          assertThat(reset.isFresh()).as("%s", reset).isTrue();
          assertThat(algorithm().available(run.parameters, reset, run.now))
              .isEqualTo(algorithm().capacity(run.parameters));
        });
  }

  @Test
  void chargeThenRefund_restoresState() {
    atEveryStep(
        (run, s) -> {
          long room = algorithm().available(run.parameters, s, run.now);
          if (run.cost <= room) {
            CounterState again = copy(s);
            algorithm().charge(run.parameters, again, run.now, run.cost);
            assertThat(algorithm().available(run.parameters, again, run.now))
                .isEqualTo(room - run.cost);
            algorithm().refund(run.parameters, again, run.now, run.now, run.cost);
            assertThat(again.used).isEqualTo(s.used);
            assertThat(algorithm().available(run.parameters, again, run.now)).isEqualTo(room);
          }
        });
  }

  @Test
  void lateRefundOfSingleCharge_equalsNoCharge() {
    atEveryStep(
        (run, s) -> {
          if (run.cost > algorithm().available(run.parameters, s, run.now)) {
            return;
          }
          CounterState without = copy(s);
          CounterState with = copy(s);
          algorithm().charge(run.parameters, with, run.now, run.cost);
          long when = chargedAt(run.parameters, with, run.now, run.cost);
          long later = run.now + run.history.upTo(2 * run.parameters.periodMicros());
          algorithm().advance(run.parameters, without, later);
          algorithm().advance(run.parameters, with, later);
          algorithm().refund(run.parameters, with, later, when, run.cost);
          assertThat(reset(run.parameters, with, later))
              .as("%d µs later", later - run.now)
              .isCloseTo(reset(run.parameters, without, later), within(1L));
        });
  }

  @Test
  void anyPeriod_admitsAtMostBound() {
    long seed = RandomHistory.seed();
    RandomHistory history = new RandomHistory(seed);
    for (int done = 0; done < RandomHistory.steps(); done += STEPS_PER_LIMIT) {
      LimitParameters t = history.parameters(algorithm());
      CounterState s = new CounterState();
      Deque<long[]> admitted = new ArrayDeque<>();
      long sum = 0;
      for (int i = 0; i < STEPS_PER_LIMIT; i++) {
        long now = history.nextForward(t);
        long cost = history.cost(algorithm().capacity(t));
        algorithm().advance(t, s, now);
        if (cost <= algorithm().available(t, s, now)) {
          algorithm().charge(t, s, now, cost);
          admitted.add(new long[] {now, cost});
          sum += cost;
        }
        while (!admitted.isEmpty() && admitted.getFirst()[0] <= now - t.periodMicros()) {
          sum -= admitted.removeFirst()[1];
        }
        assertThat(sum).as("seed %d, %s", seed, t).isLessThanOrEqualTo(bound(t));
      }
    }
  }

  /**
   * Runs random histories of takes, forced charges and refunds, and checks the law at every step.
   */
  private void atEveryStep(BiConsumer<HistoryRun, CounterState> law) {
    long seed = RandomHistory.seed();
    HistoryRun run = new HistoryRun(new RandomHistory(seed));
    int refused = 0;
    try {
      for (int done = 0; done < RandomHistory.steps(); done += STEPS_PER_LIMIT) {
        run.parameters = run.history.parameters(algorithm());
        CounterState s = new CounterState();
        for (run.step = 0; run.step < STEPS_PER_LIMIT; run.step++) {
          run.now = run.history.next(run.parameters);
          run.cost = run.history.cost(algorithm().capacity(run.parameters));
          algorithm().advance(run.parameters, s, run.now);
          law.accept(run, s);
          refused += run.cost > algorithm().available(run.parameters, s, run.now) ? 1 : 0;
          if (run.history.oneIn(20)) {
            forceOrRefund(run, s);
          } else if (run.cost <= algorithm().available(run.parameters, s, run.now)) {
            algorithm().charge(run.parameters, s, run.now, run.cost);
          }
        }
      }
      assertThat(refused)
          .as("refusals")
          .isBetween(RandomHistory.steps() / 20, RandomHistory.steps() * 19 / 20);
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError(
          algorithm().name()
              + " violates a law; reproduce it with -Dweir.seed="
              + seed
              + ": "
              + run,
          e);
    }
  }

  private void forceOrRefund(HistoryRun run, CounterState s) {
    if (run.history.oneIn(2)) {
      algorithm().charge(run.parameters, s, run.now, run.cost);
    } else {
      long when = run.now - run.history.below(2_000_000_000) + 1_000_000_000L;
      algorithm().refund(run.parameters, s, run.now, when, run.cost);
    }
  }

  /** The wait of a state with maximum debt, charged at the start of a window. */
  private long longestWait(LimitParameters t) {
    CounterState worst = new CounterState();
    long start = t.windowStart(1_700_000_000_000_000L);
    algorithm().advance(t, worst, start);
    algorithm().charge(t, worst, start, 3 * algorithm().capacity(t));
    return algorithm().waitTime(t, worst, start, algorithm().capacity(t));
  }

  private long availableAt(HistoryRun run, CounterState s, long time) {
    CounterState later = copy(s);
    algorithm().advance(run.parameters, later, time);
    return algorithm().available(run.parameters, later, time);
  }

  private static CounterState copy(CounterState s) {
    CounterState copy = new CounterState();
    copy.copyFrom(s);
    return copy;
  }

  /** The current step of a history. */
  private static final class HistoryRun {
    final RandomHistory history;
    LimitParameters parameters = new LimitParameters(1, 1, 1, 0, 1, 1, 1, 1, 1, null);
    int step;
    long now;
    long cost;

    HistoryRun(RandomHistory history) {
      this.history = history;
    }

    @Override
    public String toString() {
      return "step " + step + " at " + now + " cost " + cost + " under " + parameters;
    }
  }
}
