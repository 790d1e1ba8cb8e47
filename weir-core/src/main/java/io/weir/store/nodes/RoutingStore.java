package io.weir.store.nodes;

import io.weir.rule.Claim;
import io.weir.rule.Consistency.CountingMode;
import io.weir.rule.Fingerprint;
import io.weir.store.ClaimOutcome;
import io.weir.store.Clock;
import io.weir.store.MemoryStore;
import io.weir.store.Scheduler;
import io.weir.store.Store;
import io.weir.store.StoreFailureGuard;
import io.weir.store.StoreHealth;
import io.weir.store.StoreOperation;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A store that nodes share, asked as strictly as each rule says: exact, leased, synced or local.
 *
 * <p>A request whose rules are counted in different ways is judged where it costs least first; what
 * that took is given back when a later one refuses. Safe for any number of threads.
 */
public final class RoutingStore implements Store {
  private static final long MAX_LOCAL_BYTES = 256L << 20;
  private static final long BYTES_PER_SYNCED_COUNTER = 256;
  private static final long CLOSE_TIMEOUT_MILLIS = 500;
  private static final List<CountingMode> CHEAPEST_FIRST =
      List.of(CountingMode.LOCAL, CountingMode.SYNCED, CountingMode.LEASED, CountingMode.EXACT);
  private static final int FIRST_REMOTE_INDEX = CHEAPEST_FIRST.indexOf(CountingMode.LEASED);

  private final Store shared;
  private final StoreFailureGuard guard;
  private final Clock clock;
  private final SyncedStore syncedStore;
  private final LeasedStore leasedStore;
  private final RefusalCache refusalCache;
  private final Map<CountingMode, Store> stores = new EnumMap<>(CountingMode.class);

  /**
   * @param shared decides exactly, for all nodes
   * @param guard of the shared store, whose clock is this node's
   * @param spike above which latency of the shared store exact rules are answered from what this
   *     node knows, and reconciled after; zero for never
   */
  public RoutingStore(Store shared, StoreFailureGuard guard, Scheduler alarm, Duration spike) {
    this.shared = shared;
    this.guard = guard;
    clock = guard.clock();
    EstimatedStoreClock time = new EstimatedStoreClock(clock);
    long bytes = Math.min(MAX_LOCAL_BYTES, Runtime.getRuntime().maxMemory() / 8) / 2;
    SyncedView view = new SyncedView(new MemoryStore(time, bytes));
    syncedStore =
        new SyncedStore(shared, clock, time, alarm, view, (int) (bytes / BYTES_PER_SYNCED_COUNTER));
    leasedStore = new LeasedStore(shared, clock, alarm);
    refusalCache = new RefusalCache(clock);
    stores.put(CountingMode.LOCAL, new MemoryStore(clock, bytes));
    stores.put(CountingMode.SYNCED, syncedStore);
    stores.put(CountingMode.LEASED, leasedStore);
    stores.put(CountingMode.EXACT, shared);
    if (!spike.isZero()) {
      LatencySpikeDetector spikes = new LatencySpikeDetector(clock, spike.toNanos() / 1000);
      stores.put(CountingMode.EXACT, new SpikeTolerantStore(shared, syncedStore, clock, spikes));
    }
  }

  @Override
  public CompletableFuture<ClaimOutcome[]> apply(Claim[] claims, StoreOperation mode, long when) {
    CountingMode first = claims.length == 0 ? CountingMode.EXACT : kind(claims[0]);
    for (int i = 1; i < claims.length; i++) {
      if (kind(claims[i]) != first) {
        return applyAcross(claims, mode, when);
      }
    }
    CompletableFuture<ClaimOutcome[]> answer = storeFor(first).apply(claims, mode, when);
    return mode == StoreOperation.REFUND ? invalidateRefusals(claims, answer) : answer;
  }

  /** Lets requests that were refused be judged again, now that something is given back. */
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

  private Store storeFor(CountingMode kind) {
    return stores.getOrDefault(kind, shared);
  }

  private Store storeFor(ClaimPartition part) {
    return storeFor(CHEAPEST_FIRST.get(part.index()));
  }

  private CompletableFuture<ClaimOutcome[]> applyAcross(
      Claim[] claims, StoreOperation mode, long when) {
    List<ClaimPartition> parts =
        ClaimPartition.split(claims, claim -> CHEAPEST_FIRST.indexOf(kind(claim)));
    if (mode != StoreOperation.TAKE) {
      parts.forEach(part -> part.submit(storeFor(part), mode, when));
      CompletableFuture<ClaimOutcome[]> answer =
          ClaimPartition.whenAllAnswered(parts).thenApply(done -> ClaimPartition.join(parts));
      return mode == StoreOperation.REFUND ? invalidateRefusals(claims, answer) : answer;
    }
    ClaimOutcome[] known = refusalCache.get(claims);
    return known == null
        ? takePartitions(parts, 0, claims, new DecisionStart(clock.micros(), guard.runningMicros()))
        : CompletableFuture.completedFuture(known);
  }

  /** When a decision began: by this node's clock, and by the time it was running. */
  private record DecisionStart(long startedAt, long runningMicros) {}

  /** Has the parts judged one after the other, as long as they admit the request. */
  private CompletableFuture<ClaimOutcome[]> takePartitions(
      List<ClaimPartition> parts, int from, Claim[] claims, DecisionStart start) {
    if (from == parts.size()) {
      return CompletableFuture.completedFuture(ClaimPartition.join(parts));
    }
    ClaimPartition part = parts.get(from);
    submit(part, StoreOperation.TAKE, start);
    return part.answer()
        .thenCompose(
            said ->
                part.isAdmitted()
                    ? takePartitions(parts, from + 1, claims, start)
                    : refuse(parts, from, claims, start));
  }

  /** A store that was silent for one part is not waited for once more. */
  private void submit(ClaimPartition part, StoreOperation mode, DecisionStart start) {
    if (part.index() >= FIRST_REMOTE_INDEX && guard.isDeadlineNear(start.runningMicros)) {
      part.setAnswer(guard.fallbackFor(part.claims(), mode, NOW));
    } else {
      part.submit(storeFor(part), mode, NOW);
    }
  }

  /** Gives back what was taken before one refused, and asks the rest only what it would say. */
  private CompletableFuture<ClaimOutcome[]> refuse(
      List<ClaimPartition> parts, int refusing, Claim[] claims, DecisionStart start) {
    List<ClaimPartition> rest = parts.subList(refusing + 1, parts.size());
    rest.forEach(part -> submit(part, StoreOperation.PEEK, start));
    return ClaimPartition.whenAllAnswered(rest)
        .thenApply(
            done -> {
              ClaimOutcome[] outcomes = ClaimPartition.join(parts);
              parts.subList(0, refusing).forEach(part -> part.refund(storeFor(part), outcomes));
              refusalCache.put(claims, outcomes, start.startedAt);
              return outcomes;
            });
  }

  @Override
  public Fingerprint fingerprint() {
    return shared.fingerprint();
  }

  /** Permits borrowed of leased rules and not spent. */
  public long leasedPermits() {
    return leasedStore.leasedPermits();
  }

  /** Permits admitted here that the shared store has not been told of yet. */
  public long unsyncedPermits() {
    return syncedStore.unsyncedPermits();
  }

  /** How many synced counters this node remembers. */
  int syncedCounters() {
    return syncedStore.counters();
  }

  /** By how many microseconds reporting of synced counters is behind its interval. */
  public long syncLagMicros() {
    return syncedStore.lagMicros();
  }

  @Override
  public boolean isAvailable() {
    return shared.isAvailable();
  }

  @Override
  public StoreHealth health() {
    return shared.health();
  }

  /** Gives back what is borrowed and tells what is not told; the shared store stays open. */
  @Override
  public void close() {
    CompletableFuture.allOf(leasedStore.returnAll(), syncedStore.reportAll())
        .completeOnTimeout(null, CLOSE_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)
        .join();
  }
}
