package io.weir.store.nodes;

import io.weir.rule.Claim;
import io.weir.rule.Fingerprint;
import io.weir.store.Clock;
import io.weir.store.Mode;
import io.weir.store.Outcome;
import io.weir.store.Store;
import java.util.concurrent.CompletableFuture;

/**
 * Asks the shared store, and while that is slow answers from what this node knows of each counter,
 * marked as degraded; what was admitted so is told the store afterwards.
 */
final class SteadyStore implements Store {
  private final Store shared;
  private final SyncedStore known;
  private final Clock clock;
  private final Spikes spikes;

  SteadyStore(Store shared, SyncedStore known, Clock clock, Spikes spikes) {
    this.shared = shared;
    this.known = known;
    this.clock = clock;
    this.spikes = spikes;
  }

  @Override
  public CompletableFuture<Outcome[]> take(Claim[] claims, Mode mode, long when) {
    if (mode != Mode.REFUND && spikes.lasts()) {
      Outcome[] alone = known.judgeAlone(claims, mode, when);
      if (alone != null) {
        return CompletableFuture.completedFuture(degraded(alone));
      }
    }
    long sent = clock.micros();
    return shared
        .take(claims, mode, when)
        .thenApply(
            said -> {
              spikes.answered(sent, said.length > 0 && said[0].degraded());
              known.learn(claims, said, sent);
              return said;
            });
  }

  private static Outcome[] degraded(Outcome[] outcomes) {
    Outcome[] marked = new Outcome[outcomes.length];
    for (int i = 0; i < marked.length; i++) {
      Outcome o = outcomes[i];
      marked[i] =
          new Outcome(o.fits(), true, o.remaining(), o.reset(), o.pause(), o.time(), o.charged());
    }
    return marked;
  }

  @Override
  public Fingerprint fingerprint() {
    return shared.fingerprint();
  }
}
