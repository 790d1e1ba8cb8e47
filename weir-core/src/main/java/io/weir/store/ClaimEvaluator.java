package io.weir.store;

import io.weir.algorithm.Algorithm;
import io.weir.algorithm.CounterState;
import io.weir.algorithm.LimitParameters;
import io.weir.rule.Claim;
import io.weir.rule.Limit;
import org.jspecify.annotations.Nullable;

/**
 * The decision, once for every algorithm: look at all claims, then charge all or none. The twin of
 * {@code decide.lua}.
 */
public final class ClaimEvaluator {

  private ClaimEvaluator() {}

  /**
   * Judges claims, each with its state, which notes of an earlier decision must not be on; claims
   * on one key share one state. A state that is missing is one the store could not find room for:
   * the rule's posture answers.
   *
   * @param when the time the charge counts at: {@code now}, or earlier for what is given back
   */
  public static ClaimOutcome[] evaluate(
      Claim[] claims, @Nullable CounterState[] states, StoreOperation mode, long now, long when) {
    boolean admitted = true;
    ClaimOutcome[] outcomes = new ClaimOutcome[claims.length];
    for (int i = 0; i < claims.length; i++) {
      Claim claim = claims[i];
      Limit limit = claim.limit();
      CounterState s = states[i];
      boolean fits;
      if (s == null) {
        outcomes[i] = FallbackDecider.decide(claim, mode, now);
        fits = outcomes[i].admitted();
      } else {
        fits = isAdmitted(limit.algorithm(), limit.parameters(), s, now, claim.cost());
      }
      admitted &= fits || limit.shadow();
    }
    boolean charged = shouldCharge(mode, admitted);
    for (int i = 0; i < claims.length; i++) {
      CounterState s = states[i];
      if (s != null) {
        outcomes[i] = settle(claims[i], s, charged, mode, now, when);
      }
    }
    return outcomes;
  }

  /** As above for one claim alone, whose state is at hand. */
  public static ClaimOutcome evaluate(
      Claim claim, CounterState s, StoreOperation mode, long now, long when) {
    Limit limit = claim.limit();
    boolean fits = isAdmitted(limit.algorithm(), limit.parameters(), s, now, claim.cost());
    return settle(claim, s, shouldCharge(mode, fits || limit.shadow()), mode, now, when);
  }

  private static boolean shouldCharge(StoreOperation mode, boolean admitted) {
    return mode == StoreOperation.TAKE ? admitted : mode != StoreOperation.PEEK;
  }

  /** Whether a claim has room beside those before it on the same state. */
  private static boolean isAdmitted(
      Algorithm a, LimitParameters t, CounterState s, long now, long cost) {
    if (s.pendingCost == 0) {
      s.changed = s.time > now; // else it would follow the clock back anew each time
      advance(a, t, s, now);
    } else if (!isEvaluatedUnder(t, s)) {
      advance(a, t, s, now);
    }
    s.pendingCost += cost;
    return s.pendingCost <= s.available;
  }

  @SuppressWarnings("ReferenceEquality") // terms that are equal would only be looked at once more
  private static boolean isEvaluatedUnder(LimitParameters t, CounterState s) {
    return s.parameters == t;
  }

  private static void advance(Algorithm a, LimitParameters t, CounterState s, long now) {
    a.advance(t, s, now);
    s.available = a.available(t, s, now);
    s.parameters = t;
  }

  private static ClaimOutcome settle(
      Claim claim, CounterState s, boolean charged, StoreOperation mode, long now, long when) {
    Algorithm a = claim.limit().algorithm();
    LimitParameters t = claim.limit().parameters();
    long cost = claim.cost();
    if (!isEvaluatedUnder(t, s)) {
      advance(a, t, s, now);
    }
    if (mode == StoreOperation.LEASE) {
      return lease(a, t, s, cost, now);
    }
    long asked = s.takenCost + cost;
    boolean fits =
        asked <= s.available || mode == StoreOperation.REFUND; // what is given back needs no room
    long pause;
    if (fits) {
      pause = a.delay(t, s, now);
    } else {
      pause = asked > a.capacity(t) ? -1 : a.waitTime(t, s, now, asked);
    }
    boolean charges = charged && (fits || mode != StoreOperation.TAKE);
    if (!charged) {
      s.takenCost = asked;
    } else if (charges) {
      s.changed = true;
      if (mode == StoreOperation.REFUND) {
        a.refund(t, s, now, when, cost);
      } else {
        a.charge(t, s, when, cost);
      }
      s.available = mode == StoreOperation.TAKE ? s.available - cost : a.available(t, s, now);
    }
    boolean counted = charges && mode != StoreOperation.REFUND;
    long debt = s.available > 0 ? 0 : a.debt(t, s, now);
    long reset = a.waitTime(t, s, now, a.capacity(t));
    return new ClaimOutcome(fits, false, s.available, reset, pause, now, debt, counted);
  }

  private static ClaimOutcome lease(
      Algorithm a, LimitParameters t, CounterState s, long cost, long now) {
    long given = Math.min(cost, s.available);
    long pause = given > 0 ? a.delay(t, s, now) : a.waitTime(t, s, now, 1);
    if (given > 0) {
      s.changed = true;
      a.charge(t, s, now, given);
      s.available -= given;
    }
    boolean whole = given == cost;
    long reset = a.waitTime(t, s, now, a.capacity(t));
    return new ClaimOutcome(whole, false, whole ? s.available : given, reset, pause, now, whole);
  }
}
