package io.weir.redis;

import io.weir.rule.Claim;
import io.weir.store.Mode;
import io.weir.store.Outcome;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One request that waits for its answer. */
final class Ask extends CompletableFuture<Outcome[]> {
  final Claim[] claims;
  final Mode mode;

  /** When what is given back was charged; the future means now. */
  final long when;

  /** The next of those that ask the same in one batch. */
  @Nullable Ask next;

  Ask(Claim[] claims, Mode mode, long when) {
    this.claims = claims;
    this.mode = mode;
    this.when = when;
  }

  /** Whether the other asks exactly the same, so that one charge can serve both. */
  boolean isLike(Ask other) {
    return mode == Mode.TAKE && other.mode == Mode.TAKE && isSame(claims, other.claims);
  }

  /** Whether the claims are on the same counters, under the same limits, and cost the same. */
  static boolean isSame(Claim[] some, Claim[] others) {
    if (some.length != others.length) {
      return false;
    }
    for (int i = 0; i < some.length && some != others; i++) {
      Claim a = some[i];
      Claim b = others[i];
      if (a.key() != b.key() || a.cost() != b.cost() || a.limit() != b.limit()) {
        return false;
      }
    }
    return true;
  }
}
