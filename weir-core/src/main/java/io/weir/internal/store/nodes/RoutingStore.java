package io.weir.internal.store.nodes;

import io.weir.internal.rule.Claim;
import io.weir.internal.rule.Fingerprint;
import io.weir.internal.store.ClaimOutcome;
import io.weir.internal.store.ClaimStore;
import io.weir.internal.store.MemoryStore;
import io.weir.internal.store.Scheduler;
import io.weir.internal.store.StoreFailureGuard;
import io.weir.rule.Consistency.CountingMode;
import io.weir.store.Clock;
import io.weir.store.StoreHealth;
import io.weir.store.StoreOperation;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Routes each claim to the store for the consistency of its rule: exact, leased, synced or local.
 *
 * <p>A request whose rules have different consistencies is evaluated by the cheapest store first;
 * its charges are refunded if a later store refuses. Safe for any number of threads.
 */
public class RoutingStore implements ClaimStore {
  private static final long MAX_LOCAL_BYTES = 256L << 20;
  private static final long BYTES_PER_SYNCED_COUNTER = 256;
  private static final long CLOSE_TIMEOUT_MILLIS = 500;
  private static final List<CountingMode> CHEAPEST_FIRST =
      List.of(CountingMode.LOCAL, CountingMode.SYNCED, CountingMode.LEASED, CountingMode.EXACT);
  private static final int FIRST_REMOTE_INDEX = CHEAPEST_FIRST.indexOf(CountingMode.LEASED);

  private final ClaimStore shared;
  private final StoreFailureGuard guard;
  private final Clock clock;
  private final SyncedStore syncedStore;
  private final LeasedStore leasedStore;
  private final RefusalCache refusalCache;
  private final Map<CountingMode, ClaimStore> stores = new EnumMap<>(CountingMode.class);

  /**
   * @param shared decides exactly, for all nodes
   * @param guard the guard of the shared store, which also provides this node's clock
   * @param spikeThreshold the latency of the shared store above which this node decides exact rules
   *     by its synced view and reports the usage afterwards; zero for never
   */
  public RoutingStore(
      ClaimStore shared, StoreFailureGuard guard, Scheduler scheduler, Duration spikeThreshold) {
    this.shared = shared;
    this.guard = guard;
    clock = guard.clock();
    EstimatedStoreClock storeClock = new EstimatedStoreClock(clock);
    long bytes = Math.min(MAX_LOCAL_BYTES, Runtime.getRuntime().maxMemory() / 8) / 2;
    SyncedView view = new SyncedView(new MemoryStore(storeClock, bytes));
    syncedStore =
        new SyncedStore(
            shared, clock, storeClock, scheduler, view, (int) (bytes / BYTES_PER_SYNCED_COUNTER));
    leasedStore = new LeasedStore(shared, clock, scheduler);
    refusalCache = new RefusalCache(clock);
    stores.put(CountingMode.LOCAL, new MemoryStore(clock, bytes));
    stores.put(CountingMode.SYNCED, syncedStore);
    stores.put(CountingMode.LEASED, leasedStore);
    stores.put(CountingMode.EXACT, shared);
    if (!spikeThreshold.isZero()) {
      LatencySpikeDetector spikeDetector =
          new LatencySpikeDetector(clock, spikeThreshold.toNanos() / 1000);
      stores.put(
          CountingMode.EXACT, new SpikeTolerantStore(shared, syncedStore, clock, spikeDetector));
    }
  }

  @Override
  public CompletableFuture<ClaimOutcome[]> apply(
      Claim[] claims, StoreOperation operation, long when) {
    CountingMode first = claims.length == 0 ? CountingMode.EXACT : kind(claims[0]);
    for (int i = 1; i < claims.length; i++) {
      if (kind(claims[i]) != first) {
        return applyAcross(claims, operation, when);
      }
    }
    CompletableFuture<ClaimOutcome[]> answer = storeFor(first).apply(claims, operation, when);
    return operation == StoreOperation.REFUND ? invalidateRefusals(claims, answer) : answer;
  }

  /** Invalidates cached refusals of requests on the refunded counters. */
  private CompletableFuture<ClaimOutcome[]> invalidateRefusals(
      Claim[] claims, CompletableFuture<ClaimOutcome[]> refund) {
    refusalCache.invalidate(claims);
    return refund.thenApply(
        outcomes -> {
          refusalCache.invalidate(claims);
          return outcomes;
        });
  }

  private static CountingMode kind(Claim claim) {
    return claim.limit().rule().consistency().mode();
  }

  private ClaimStore storeFor(CountingMode kind) {
    return stores.getOrDefault(kind, shared);
  }

  private ClaimStore storeFor(ClaimSubset partition) {
    return storeFor(CHEAPEST_FIRST.get(partition.index()));
  }

  private CompletableFuture<ClaimOutcome[]> applyAcross(
      Claim[] claims, StoreOperation operation, long when) {
    List<ClaimSubset> partitions =
        ClaimSubset.split(claims, claim -> CHEAPEST_FIRST.indexOf(kind(claim)));
    if (operation != StoreOperation.TAKE) {
      partitions.forEach(partition -> partition.submit(storeFor(partition), operation, when));
      CompletableFuture<ClaimOutcome[]> answer =
          ClaimSubset.whenAllAnswered(partitions)
              .thenApply(answered -> ClaimSubset.join(partitions));
      return operation == StoreOperation.REFUND ? invalidateRefusals(claims, answer) : answer;
    }
    ClaimOutcome[] known = refusalCache.get(claims);
    return known == null
        ? takePartitions(
            partitions, 0, claims, new DecisionStart(clock.micros(), guard.runningMicros()))
        : CompletableFuture.completedFuture(known);
  }

  /** When a decision began, by this node's clock and by its running time without stalls. */
  private record DecisionStart(long startedAt, long runningMicros) {}

  /** Submits the partitions one after another, as long as they admit the request. */
  private CompletableFuture<ClaimOutcome[]> takePartitions(
      List<ClaimSubset> partitions, int from, Claim[] claims, DecisionStart start) {
    if (from == partitions.size()) {
      return CompletableFuture.completedFuture(ClaimSubset.join(partitions));
    }
    ClaimSubset partition = partitions.get(from);
    submit(partition, StoreOperation.TAKE, start);
    return partition
        .answer()
        .thenCompose(
            answers ->
                partition.isAdmitted()
                    ? takePartitions(partitions, from + 1, claims, start)
                    : refuse(partitions, from, claims, start));
  }

  /** If one partition has used up the deadline, the shared store is not called again. */
  private void submit(ClaimSubset partition, StoreOperation operation, DecisionStart start) {
    if (partition.index() >= FIRST_REMOTE_INDEX && guard.isDeadlineNear(start.runningMicros)) {
      partition.setAnswer(guard.fallbackFor(partition.claims(), operation, NOW));
    } else {
      partition.submit(storeFor(partition), operation, NOW);
    }
  }

  /** Refunds the partitions before the refusing one, and only peeks at those after it. */
  private CompletableFuture<ClaimOutcome[]> refuse(
      List<ClaimSubset> partitions, int refusing, Claim[] claims, DecisionStart start) {
    List<ClaimSubset> rest = partitions.subList(refusing + 1, partitions.size());
    rest.forEach(partition -> submit(partition, StoreOperation.PEEK, start));
    return ClaimSubset.whenAllAnswered(rest)
        .thenApply(
            answered -> {
              ClaimOutcome[] outcomes = ClaimSubset.join(partitions);
              partitions
                  .subList(0, refusing)
                  .forEach(partition -> partition.refund(storeFor(partition), outcomes));
              refusalCache.put(claims, outcomes, start.startedAt);
              return outcomes;
            });
  }

  @Override
  public Fingerprint fingerprint() {
    return shared.fingerprint();
  }

  /** The permits that this node has leased and not spent. */
  public long leasedPermits() {
    return leasedStore.leasedPermits();
  }

  /** The permits admitted here that are not reported to the shared store yet. */
  public long unsyncedPermits() {
    return syncedStore.unsyncedPermits();
  }

  /** The number of synced counters of this node. */
  int syncedCounters() {
    return syncedStore.counters();
  }

  /** By how many microseconds the sync of synced counters is later than its interval. */
  public long syncLagMicros() {
    return syncedStore.lagMicros();
  }

  @Override
  public boolean isAvailable() {
    return shared.isAvailable();
  }

  @Override
  public StoreHealth health() {
    StoreHealth health = shared.health();
    return new StoreHealth(
        health.available(),
        health.state(),
        health.clockDrift(),
        health.degradedDecisions(),
        health.corruptStates(),
        health.nodes(),
        leasedPermits(),
        unsyncedPermits(),
        Duration.of(syncedStore.lagMicros(), ChronoUnit.MICROS));
  }

  /** Returns all leases and reports all usage; the shared store stays open. */
  @Override
  public void close() {
    CompletableFuture.allOf(leasedStore.returnAll(), syncedStore.reportAll())
        .completeOnTimeout(null, CLOSE_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)
        .join();
  }
}
