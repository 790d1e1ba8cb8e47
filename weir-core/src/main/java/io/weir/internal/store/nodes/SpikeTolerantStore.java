package io.weir.internal.store.nodes;

import io.weir.internal.rule.Claim;
import io.weir.internal.rule.Fingerprint;
import io.weir.internal.store.ClaimOutcome;
import io.weir.internal.store.ClaimStore;
import io.weir.store.Clock;
import io.weir.store.StoreOperation;
import java.util.concurrent.CompletableFuture;

/**
 * Decides in the shared store, and while that is slow, by this node's synced view of the counters,
 * marked as degraded. Permits admitted by the view are reported to the store afterwards.
 */
final class SpikeTolerantStore implements ClaimStore {
  private final ClaimStore shared;
  private final SyncedStore syncedStore;
  private final Clock clock;
  private final LatencySpikeDetector spikeDetector;

  SpikeTolerantStore(
      ClaimStore shared, SyncedStore known, Clock clock, LatencySpikeDetector spikes) {
    this.shared = shared;
    this.syncedStore = known;
    this.clock = clock;
    this.spikeDetector = spikes;
  }

  @Override
  public CompletableFuture<ClaimOutcome[]> apply(
      Claim[] claims, StoreOperation operation, long when) {
    if (HeldSlots.isUsedBy(claims)) {
      return shared.apply(claims, operation, when); // slots in use are known to the store only
    }
    if (operation != StoreOperation.REFUND && spikeDetector.shouldBypassStore()) {
      ClaimOutcome[] outcomes = syncedStore.decideLocally(claims, operation, when);
      if (outcomes != null) {
        return CompletableFuture.completedFuture(markDegraded(outcomes));
      }
    }
    long sent = clock.micros();
    return shared
        .apply(claims, operation, when)
        .thenApply(
            answers -> {
              spikeDetector.recordAnswer(sent, answers.length > 0 && answers[0].degraded());
              syncedStore.update(claims, answers, sent);
              return answers;
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
