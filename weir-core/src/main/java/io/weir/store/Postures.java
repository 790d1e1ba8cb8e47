package io.weir.store;

import io.weir.rule.Claim;
import io.weir.rule.Limit;
import io.weir.rule.Posture;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Answers for a store that does not: open, closed, or from this node's share of the budget.
 *
 * <p>All or nothing here too: if an enforcing rule is closed, no share is charged.
 */
final class Postures {
  private static final long SHARES_BYTES = 64L << 20;
  private static final long NEVER = -1;

  private final Clock clock;
  private volatile @Nullable MemoryStore shares;

  Postures(Clock clock) {
    this.clock = clock;
  }

  /**
   * Answers, and charges the shares as the mode says. What is dated earlier was charged in the
   * store, or is to be: the shares know nothing of it.
   */
  Outcome[] answer(Claim[] claims, Mode mode, long when) {
    long now = clock.micros();
    @Nullable Outcome[] outcomes = new Outcome[claims.length];
    boolean closed = false;
    List<Claim> local = new ArrayList<>();
    for (int i = 0; i < claims.length; i++) {
      Claim claim = claims[i];
      Limit share = claim.limit().share();
      if (share != null && !neverFits(claim, mode)) {
        local.add(new Claim(share, claim.key(), claim.cost()));
        continue;
      }
      outcomes[i] = answer(claim, mode, now);
      closed |= !outcomes[i].fits() && !claim.limit().shadow();
    }
    if (!local.isEmpty()) {
      boolean charges = mode == Mode.TAKE ? !closed : mode != Mode.LEASE && when == Store.NOW;
      Mode how = charges ? mode : Mode.PEEK;
      Outcome[] parts = shares().take(local.toArray(new Claim[0]), how).join();
      for (int i = 0, k = 0; i < claims.length; i++) {
        if (outcomes[i] == null) {
          outcomes[i] = ofShare(parts[k++], now);
        }
      }
    }
    return outcomes;
  }

  /** The rule's fallback, or a refusal of what can never fit. */
  static Outcome answer(Claim claim, Mode mode, long now) {
    return neverFits(claim, mode)
        ? new Outcome(false, true, 0, 0, NEVER, now)
        : Outcome.degraded(claim.limit().rule().posture().answer() != Posture.Answer.CLOSED, now);
  }

  /** Whether a cost is above the limit: no count is needed to refuse it. */
  private static boolean neverFits(Claim claim, Mode mode) {
    long most = claim.limit().most();
    return most == 0 || (claim.cost() > most && (mode == Mode.TAKE || mode == Mode.PEEK));
  }

  /** What never fits a share may well fit the whole, once the store is back. */
  private static Outcome ofShare(Outcome o, long now) {
    return o.never()
        ? Outcome.degraded(false, now)
        : new Outcome(o.fits(), true, o.remaining(), o.reset(), o.pause(), now);
  }

  private MemoryStore shares() {
    MemoryStore made = shares;
    if (made == null) {
      synchronized (this) {
        made = shares;
        if (made == null) {
          made = new MemoryStore(clock, SHARES_BYTES);
          shares = made;
        }
      }
    }
    return made;
  }
}
