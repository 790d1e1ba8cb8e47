package io.weir.store;

import io.weir.algorithm.Algorithm;
import io.weir.algorithm.State;
import io.weir.algorithm.Terms;
import io.weir.rule.Claim;
import io.weir.rule.Limit;
import org.jspecify.annotations.Nullable;

/**
 * The decision, once for every algorithm: look at all claims, then charge all or none. The twin of
 * {@code decide.lua}.
 */
public final class Decide {

  private Decide() {}

  /**
   * Judges claims, each with its state, which notes of an earlier decision must not be on; claims
   * on one key share one state. A state that is missing is one the store could not find room for:
   * the rule's posture answers.
   *
   * @param when the time the charge counts at: {@code now}, or earlier for what is given back
   */
  public static Outcome[] decide(
      Claim[] claims, @Nullable State[] states, Mode mode, long now, long when) {
    boolean admitted = true;
    Outcome[] outcomes = new Outcome[claims.length];
    for (int i = 0; i < claims.length; i++) {
      Claim claim = claims[i];
      Limit limit = claim.limit();
      State s = states[i];
      boolean fits;
      if (s == null) {
        outcomes[i] = Postures.answer(claim, mode, now);
        fits = outcomes[i].fits();
      } else {
        fits = fits(limit.algorithm(), limit.terms(), s, now, claim.cost());
      }
      admitted &= fits || limit.shadow();
    }
    boolean charged = charges(mode, admitted);
    for (int i = 0; i < claims.length; i++) {
      State s = states[i];
      if (s != null) {
        outcomes[i] = settle(claims[i], s, charged, mode, now, when);
      }
    }
    return outcomes;
  }

  /** As above for one claim alone, whose state is at hand. */
  public static Outcome decide(Claim claim, State s, Mode mode, long now, long when) {
    Limit limit = claim.limit();
    boolean fits = fits(limit.algorithm(), limit.terms(), s, now, claim.cost());
    return settle(claim, s, charges(mode, fits || limit.shadow()), mode, now, when);
  }

  private static boolean charges(Mode mode, boolean admitted) {
    return mode == Mode.TAKE ? admitted : mode != Mode.PEEK;
  }

  /** Whether a claim has room beside those before it on the same state. */
  private static boolean fits(Algorithm a, Terms t, State s, long now, long cost) {
    if (s.pending == 0) {
      s.changed = s.time > now; // else it would follow the clock back anew each time
      look(a, t, s, now);
    } else if (!isUnder(t, s)) {
      look(a, t, s, now);
    }
    s.pending += cost;
    return s.pending <= s.room;
  }

  @SuppressWarnings("ReferenceEquality") // terms that are equal would only be looked at once more
  private static boolean isUnder(Terms t, State s) {
    return s.terms == t;
  }

  private static void look(Algorithm a, Terms t, State s, long now) {
    a.age(t, s, now);
    s.room = a.room(t, s, now);
    s.terms = t;
  }

  private static Outcome settle(
      Claim claim, State s, boolean charged, Mode mode, long now, long when) {
    Algorithm a = claim.limit().algorithm();
    Terms t = claim.limit().terms();
    long cost = claim.cost();
    if (!isUnder(t, s)) {
      look(a, t, s, now);
    }
    if (mode == Mode.LEASE) {
      return lease(a, t, s, cost, now);
    }
    long asked = s.taken + cost;
    boolean fits = asked <= s.room || mode == Mode.REFUND; // what is given back needs no room
    long pause;
    if (fits) {
      pause = a.delay(t, s, now);
    } else {
      pause = asked > a.most(t) ? -1 : a.waitFor(t, s, now, asked);
    }
    boolean charges = charged && (fits || mode != Mode.TAKE);
    if (!charged) {
      s.taken = asked;
    } else if (charges) {
      s.changed = true;
      if (mode == Mode.REFUND) {
        a.refund(t, s, now, when, cost);
      } else {
        a.charge(t, s, when, cost);
      }
      s.room = mode == Mode.TAKE ? s.room - cost : a.room(t, s, now);
    }
    boolean counted = charges && mode != Mode.REFUND;
    long debt = s.room > 0 ? 0 : a.debt(t, s, now);
    long reset = a.waitFor(t, s, now, a.most(t));
    return new Outcome(fits, false, s.room, reset, pause, now, debt, counted);
  }

  private static Outcome lease(Algorithm a, Terms t, State s, long cost, long now) {
    long given = Math.min(cost, s.room);
    long pause = given > 0 ? a.delay(t, s, now) : a.waitFor(t, s, now, 1);
    if (given > 0) {
      s.changed = true;
      a.charge(t, s, now, given);
      s.room -= given;
    }
    boolean whole = given == cost;
    long reset = a.waitFor(t, s, now, a.most(t));
    return new Outcome(whole, false, whole ? s.room : given, reset, pause, now, whole);
  }
}
