package io.weir.store.nodes;

import io.weir.rule.Claim;
import io.weir.rule.Fingerprint;
import io.weir.store.ClaimOutcome;
import io.weir.store.Clock;
import io.weir.store.Store;
import io.weir.store.StoreOperation;
import java.util.concurrent.CompletableFuture;

/**
 * Asks the shared store, and while that is slow answers from what this node knows of each counter,
 * marked as degraded; what was admitted so is told the store afterwards.
 */
final class SpikeTolerantStore implements Store {
  private final Store shared;
  private final SyncedStore syncedStore;
  private final Clock clock;
  private final LatencySpikeDetector spikeDetector;

  SpikeTolerantStore(Store shared, SyncedStore known, Clock clock, LatencySpikeDetector spikes) {
    this.shared = shared;
    this.syncedStore = known;
    this.clock = clock;
    this.spikeDetector = spikes;
  }

  @Override
  public CompletableFuture<ClaimOutcome[]> apply(Claim[] claims, StoreOperation mode, long when) {
    if (mode != StoreOperation.REFUND && spikeDetector.shouldBypassStore()) {
      ClaimOutcome[] alone = syncedStore.decideLocally(claims, mode, when);
      if (alone != null) {
        return CompletableFuture.completedFuture(markDegraded(alone));
      }
    }
    long sent = clock.micros();
    return shared
        .apply(claims, mode, when)
        .thenApply(
            said -> {
              spikeDetector.recordAnswer(sent, said.length > 0 && said[0].degraded());
              syncedStore.update(claims, said, sent);
              return said;
            });
  }

  private static ClaimOutcome[] markDegraded(ClaimOutcome[] outcomes) {
    ClaimOutcome[] marked = new ClaimOutcome[outcomes.length];
    for (int i = 0; i < marked.length; i++) {
      ClaimOutcome o = outcomes[i];
      marked[i] =
          new ClaimOutcome(
              o.admitted(), true, o.remaining(), o.reset(), o.delayOrWait(), o.time(), o.charged());
    }
    return marked;
  }

  @Override
  public Fingerprint fingerprint() {
    return shared.fingerprint();
  }
}
