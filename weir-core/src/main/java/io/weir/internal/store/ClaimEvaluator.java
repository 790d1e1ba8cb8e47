package io.weir.internal.store;

import io.weir.internal.algorithm.Algorithm;
import io.weir.internal.algorithm.CounterState;
import io.weir.internal.algorithm.LimitParameters;
import io.weir.internal.rule.Claim;
import io.weir.internal.rule.Limit;
import io.weir.store.StoreOperation;
import org.jspecify.annotations.Nullable;

/**
 * Evaluates the claims of a decision on the states of their counters, for every algorithm: first
 * computes what is available for each claim, then charges all or none. A take checks the claims of
 * deferred limits like the others, but never charges them. {@code decide.lua} is the Lua version of
 * this class and decides identically.
 */
public final class ClaimEvaluator {

  private ClaimEvaluator() {}

  /**
   * Evaluates claims, each with its state, whose scratch fields must be clear; claims on the same
   * key share one state. A missing state is one for which the store has no space: the rule's
   * fallback decides.
   *
   * @param when the time at which the charge counts: {@code now}, or earlier for a refund
   */
  public static ClaimOutcome[] evaluate(
      Claim[] claims,
      @Nullable CounterState[] states,
      StoreOperation operation,
      long now,
      long when) {
    boolean admitted = true;
    ClaimOutcome[] outcomes = new ClaimOutcome[claims.length];
    for (int i = 0; i < claims.length; i++) {
      Claim claim = claims[i];
      Limit limit = claim.limit();
      CounterState s = states[i];
      boolean isAvailable;
      if (s == null) {
        outcomes[i] = FallbackDecider.decide(claim, operation, now);
        isAvailable = outcomes[i].admitted();
      } else {
        isAvailable = isAdmitted(limit.algorithm(), limit.parametersAt(now), s, now, claim.cost());
      }
      admitted &= isAvailable || limit.shadow();
    }
    boolean charged = shouldCharge(operation, admitted);
    for (int i = 0; i < claims.length; i++) {
      CounterState s = states[i];
      if (s != null) {
        outcomes[i] = settle(claims[i], s, charged, operation, now, when);
      }
    }
    return outcomes;
  }

  /** As above, for a single claim. */
  public static ClaimOutcome evaluate(
      Claim claim, CounterState s, StoreOperation operation, long now, long when) {
    Limit limit = claim.limit();
    boolean admitted = isAdmitted(limit.algorithm(), limit.parametersAt(now), s, now, claim.cost());
    boolean charged = shouldCharge(operation, admitted || limit.shadow());
    return settle(claim, s, charged, operation, now, when);
  }

  private static boolean shouldCharge(StoreOperation operation, boolean admitted) {
    return operation == StoreOperation.TAKE ? admitted : operation != StoreOperation.PEEK;
  }

  /** Whether the permits of a claim are available besides those of earlier claims on the state. */
  private static boolean isAdmitted(
      Algorithm a, LimitParameters t, CounterState s, long now, long cost) {
    if (s.pendingCost == 0) {
      s.changed = s.time > now; // store it, else it would follow the clock back again each time
      advance(a, t, s, now);
    } else if (!isEvaluatedUnder(t, s)) {
      advance(a, t, s, now);
    }
    s.pendingCost += cost;
    return s.pendingCost <= s.available;
  }

  @SuppressWarnings("ReferenceEquality") // equal parameters are only evaluated once more
  private static boolean isEvaluatedUnder(LimitParameters t, CounterState s) {
    return s.parameters == t;
  }

  private static void advance(Algorithm a, LimitParameters t, CounterState s, long now) {
    a.advance(t, s, now);
    s.available = a.available(t, s, now);
    s.parameters = t;
  }

  private static ClaimOutcome settle(
      Claim claim, CounterState s, boolean charged, StoreOperation operation, long now, long when) {
    Algorithm a = claim.limit().algorithm();
    LimitParameters t = claim.limit().parametersAt(now);
    long cost = claim.cost();
    if (!isEvaluatedUnder(t, s)) {
      advance(a, t, s, now);
    }
    if (operation == StoreOperation.LEASE) {
      return lease(a, t, s, cost, now);
    }
    long requested = s.takenCost + cost;
    boolean admitted =
        requested <= s.available || operation == StoreOperation.REFUND; // a refund needs no permits
    long delayOrWait;
    if (admitted) {
      delayOrWait = a.delay(t, s, now);
    } else {
      delayOrWait = requested > a.capacity(t) ? -1 : a.waitTime(t, s, now, requested);
    }
    boolean isDeferred = operation == StoreOperation.TAKE && claim.limit().deferred();
    boolean isCharged = charged && !isDeferred && (admitted || operation != StoreOperation.TAKE);
    if (!charged || isDeferred) {
      s.takenCost = requested;
    } else if (isCharged) {
      s.changed = true;
      if (operation == StoreOperation.REFUND) {
        a.refund(t, s, now, when, cost);
      } else {
        a.charge(t, s, when, cost);
      }
      s.available = operation == StoreOperation.TAKE ? s.available - cost : a.available(t, s, now);
    }
    boolean hasCharge = isCharged && operation != StoreOperation.REFUND;
    long debt = s.available > 0 ? 0 : a.debt(t, s, now);
    long reset = a.resetTime(t, s, now);
    return new ClaimOutcome(admitted, false, s.available, reset, delayOrWait, now, debt, hasCharge);
  }

  private static ClaimOutcome lease(
      Algorithm a, LimitParameters t, CounterState s, long cost, long now) {
    long granted = Math.min(cost, s.available);
    long delayOrWait = granted > 0 ? a.delay(t, s, now) : a.waitTime(t, s, now, 1);
    if (granted > 0) {
      s.changed = true;
      a.charge(t, s, now, granted);
      s.available -= granted;
    }
    boolean whole = granted == cost;
    long reset = a.resetTime(t, s, now);
    return new ClaimOutcome(
        whole, false, whole ? s.available : granted, reset, delayOrWait, now, whole);
  }
}
