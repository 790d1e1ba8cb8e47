package io.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.weir.algorithm.State;
import io.weir.algorithm.Terms;
import io.weir.rule.Claim;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/**
 * What every algorithm must keep, tried on random histories. Extend it and say which algorithm.
 *
 * <p>A failure prints its seed; {@code -Dweir.seed=…} plays it again.
 */
public abstract class AlgorithmLaws extends RefundLaws {
  @Test
  void ageingIsPathFree() {
    everywhere(
        (run, s) -> {
          State direct = copy(s);
          State halted = copy(s);
          long end = run.now + run.terms.period() / 3 + 7;
          long middle = run.now + run.history.below((int) Math.min(end - run.now, 1 << 30));
          algorithm().age(run.terms, direct, end);
          algorithm().age(run.terms, halted, middle);
          algorithm().age(run.terms, halted, end);
          assertThat(halted).hasToString(direct.toString());
        });
  }

  @Test
  void aClockThatStepsBackRefillsNothing() {
    everywhere(
        (run, s) -> {
          long back = 1L + run.history.below((int) Math.min(run.terms.period(), 1 << 30));
          long before = algorithm().room(run.terms, s, run.now);
          State earlier = copy(s);
          algorithm().age(run.terms, earlier, run.now - back);
          assertThat(algorithm().room(run.terms, earlier, run.now - back))
              .isLessThanOrEqualTo(before);
        });
  }

  @Test
  void aClockThatStepsBackDelaysNobodyPastTheLongestWait() {
    everywhere(
        (run, s) -> {
          long longest = longestWait(run.terms);
          State earlier = copy(s);
          long back = run.now - run.terms.period() * (1L + run.history.below(5000));
          algorithm().age(run.terms, earlier, back);
          long wait = algorithm().waitFor(run.terms, earlier, back, algorithm().most(run.terms));
          assertThat(wait).isLessThanOrEqualTo(longest);
        });
  }

  @Test
  void debtIsWhatAForcedChargeTookBeyondTheRoom() {
    everywhere(
        (run, s) -> {
          long debt = algorithm().debt(run.terms, s, run.now);
          assertThat(algorithm().room(run.terms, s, run.now) == 0 || debt == 0).isTrue();
          State fresh = new State();
          algorithm().age(run.terms, fresh, run.now);
          long most = algorithm().most(run.terms);
          long beyond = Math.min(run.cost, most);
          algorithm().charge(run.terms, fresh, run.now, most + beyond);
          assertThat(algorithm().debt(run.terms, fresh, run.now)).isEqualTo(beyond);
        });
  }

  @Test
  void theWaitIsExact() {
    everywhere(
        (run, s) -> {
          long cost = Math.min(run.cost, algorithm().most(run.terms));
          long wait = algorithm().waitFor(run.terms, s, run.now, cost);
          if (cost <= algorithm().room(run.terms, s, run.now)) {
            assertThat(wait).isZero();
            return;
          }
          assertThat(wait).isPositive();
          assertThat(roomAt(run, s, run.now + wait)).isGreaterThanOrEqualTo(cost);
          assertThat(roomAt(run, s, run.now + wait - 1)).isLessThan(cost);
        });
  }

  @Test
  void whatHasWaitedForEverythingIsFresh() {
    everywhere(
        (run, s) -> {
          State later = copy(s);
          long wait = algorithm().waitFor(run.terms, s, run.now, algorithm().most(run.terms));
          algorithm().age(run.terms, later, run.now + wait);
          assertThat(later.isFresh()).as("%s after %d", later, wait).isTrue();
        });
  }

  @Test
  void aRefundNeverMakesMoreThanFresh() {
    everywhere(
        (run, s) -> {
          State refunded = copy(s);
          long room = algorithm().room(run.terms, s, run.now);
          algorithm().refund(run.terms, refunded, run.now, run.now, run.cost);
          assertThat(algorithm().room(run.terms, refunded, run.now))
              .isBetween(room, algorithm().most(run.terms));
        });
  }

  @Test
  void givingEverythingBackIsFresh() {
    everywhere(
        (run, s) -> {
          State reset = copy(s);
          algorithm().refund(run.terms, reset, run.now, run.now, Claim.MAX_COST);
          assertThat(reset.isFresh()).as("%s", reset).isTrue();
          assertThat(algorithm().room(run.terms, reset, run.now))
              .isEqualTo(algorithm().most(run.terms));
        });
  }

  @Test
  void chargingAndGivingBackIsAsIfNothingHadBeen() {
    everywhere(
        (run, s) -> {
          long room = algorithm().room(run.terms, s, run.now);
          if (run.cost <= room) {
            State again = copy(s);
            algorithm().charge(run.terms, again, run.now, run.cost);
            assertThat(algorithm().room(run.terms, again, run.now)).isEqualTo(room - run.cost);
            algorithm().refund(run.terms, again, run.now, run.now, run.cost);
            assertThat(again.used).isEqualTo(s.used);
            assertThat(algorithm().room(run.terms, again, run.now)).isEqualTo(room);
          }
        });
  }

  @Test
  void aLoneChargeGivenBackLater_leavesWhatThereWouldBeWithoutIt() {
    everywhere(
        (run, s) -> {
          if (run.cost > algorithm().room(run.terms, s, run.now)) {
            return;
          }
          State without = copy(s);
          State with = copy(s);
          algorithm().charge(run.terms, with, run.now, run.cost);
          long when = chargedAt(run.terms, with, run.now, run.cost);
          long later = run.now + run.history.within(2 * run.terms.period());
          algorithm().age(run.terms, without, later);
          algorithm().age(run.terms, with, later);
          algorithm().refund(run.terms, with, later, when, run.cost);
          assertThat(reset(run.terms, with, later))
              .as("%d µs later", later - run.now)
              .isCloseTo(reset(run.terms, without, later), within(1L));
        });
  }

  @Test
  void noStretchOfAPeriodAdmitsMoreThanTheBound() {
    long seed = History.seed();
    History history = new History(seed);
    for (int done = 0; done < History.steps(); done += STEPS_PER_LIMIT) {
      Terms t = history.terms(algorithm());
      State s = new State();
      Deque<long[]> admitted = new ArrayDeque<>();
      long sum = 0;
      for (int i = 0; i < STEPS_PER_LIMIT; i++) {
        long now = history.nextForward(t);
        long cost = history.cost(algorithm().most(t));
        algorithm().age(t, s, now);
        if (cost <= algorithm().room(t, s, now)) {
          algorithm().charge(t, s, now, cost);
          admitted.add(new long[] {now, cost});
          sum += cost;
        }
        while (!admitted.isEmpty() && admitted.getFirst()[0] <= now - t.period()) {
          sum -= admitted.removeFirst()[1];
        }
        assertThat(sum).as("seed %d, %s", seed, t).isLessThanOrEqualTo(bound(t));
      }
    }
  }

  /** Plays random histories of takes, forced charges and refunds, and looks at every step. */
  private void everywhere(BiConsumer<Run, State> law) {
    long seed = History.seed();
    Run run = new Run(new History(seed));
    int refused = 0;
    try {
      for (int done = 0; done < History.steps(); done += STEPS_PER_LIMIT) {
        run.terms = run.history.terms(algorithm());
        State s = new State();
        for (run.step = 0; run.step < STEPS_PER_LIMIT; run.step++) {
          run.now = run.history.next(run.terms);
          run.cost = run.history.cost(algorithm().most(run.terms));
          algorithm().age(run.terms, s, run.now);
          law.accept(run, s);
          refused += run.cost > algorithm().room(run.terms, s, run.now) ? 1 : 0;
          if (run.history.oneIn(20)) {
            forceOrRefund(run, s);
          } else if (run.cost <= algorithm().room(run.terms, s, run.now)) {
            algorithm().charge(run.terms, s, run.now, run.cost);
          }
        }
      }
      assertThat(refused).as("refusals").isBetween(History.steps() / 20, History.steps() * 19 / 20);
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError(
          algorithm().name() + " breaks a law; play it again with -Dweir.seed=" + seed + ": " + run,
          e);
    }
  }

  private void forceOrRefund(Run run, State s) {
    if (run.history.oneIn(2)) {
      algorithm().charge(run.terms, s, run.now, run.cost);
    } else {
      long when = run.now - run.history.below(2_000_000_000) + 1_000_000_000L;
      algorithm().refund(run.terms, s, run.now, when, run.cost);
    }
  }

  /** The wait of a state charged to the brim of its debt at the worst moment. */
  private long longestWait(Terms t) {
    State worst = new State();
    long start = t.window(1_700_000_000_000_000L);
    algorithm().age(t, worst, start);
    algorithm().charge(t, worst, start, 3 * algorithm().most(t));
    return algorithm().waitFor(t, worst, start, algorithm().most(t));
  }

  private long roomAt(Run run, State s, long time) {
    State later = copy(s);
    algorithm().age(run.terms, later, time);
    return algorithm().room(run.terms, later, time);
  }

  private static State copy(State s) {
    State copy = new State();
    copy.copyFrom(s);
    return copy;
  }

  /** Where a history stands. */
  private static final class Run {
    final History history;
    Terms terms = new Terms(1, 1, 1, 0, 1, 1, 1, 1, 1);
    int step;
    long now;
    long cost;

    Run(History history) {
      this.history = history;
    }

    @Override
    public String toString() {
      return "step " + step + " at " + now + " cost " + cost + " under " + terms;
    }
  }
}
