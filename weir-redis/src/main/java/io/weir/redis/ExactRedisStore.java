package io.weir.redis;

import io.weir.internal.background.TaskMonitor;
import io.weir.internal.rule.Claim;
import io.weir.internal.rule.Fingerprint;
import io.weir.internal.store.ClaimOutcome;
import io.weir.internal.store.ClaimStore;
import io.weir.internal.store.Scheduler;
import io.weir.internal.store.StoreFailureGuard;
import io.weir.internal.store.nodes.HeldSlots;
import io.weir.internal.store.nodes.RefusalCache;
import io.weir.store.Clock;
import io.weir.store.StoreHealth;
import io.weir.store.StoreOperation;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Lets the Redis server decide, except for requests whose refusal is already known. The shared
 * store of a {@link RedisStore}.
 */
final class ExactRedisStore implements ClaimStore {
  private static final long UPKEEP_INTERVAL_MILLIS = 500;
  private static final long CONNECT_WAIT_MILLIS = 3000;
  private static final long MICROS_PER_MILLI = 1000;
  private static final int RENEWALS_PER_LEASE = 4;

  private final RedisConnection connection;
  private final LiveNodeRegistry liveNodes;
  private final StoreFailureGuard guard;
  private final RefusalCache refusals;
  private final HeldSlots slots;
  private final BatchingQueue.BatchingContext batchingContext;
  private final String prefix;
  private final AtomicLong corruptStates = new AtomicLong();
  private volatile RedisShards shards;

  ExactRedisStore(RedisStore.Builder settings) {
    RedisAddress address = RedisAddress.parse(settings.url);
    Clock storeClock = settings.storeClock;
    Clock clock = storeClock == null ? Clock.system() : storeClock;
    prefix = settings.prefix;
    Clock timer = Clock.system();
    refusals = new RefusalCache(clock);
    slots = new HeldSlots(settings.nodeLease);
    boolean cluster = address.kind() == RedisAddress.RedisAddressKind.CLUSTER;
    RedisLayout layout =
        RedisLayout.withRandomSeed(cluster ? settings.shards : 1, settings.packedBuckets);
    RedisHandshake handshake = new RedisHandshake(address, prefix, layout, this::useLayout);
    liveNodes = new LiveNodeRegistry(prefix);
    connection =
        new RedisConnection(address, handshake, liveNodes, Clock.wall(), settings.deadline);
    TaskMonitor deadlineMonitor = connection.monitorOnDemand("store-deadlines");
    Scheduler deadlineScheduler =
        (micros, task) ->
            connection.replyEventLoops().schedule(micros, () -> deadlineMonitor.run(task::run));
    guard =
        new StoreFailureGuard(
            timer, settings.deadline, settings.maxWaiting, settings.listener, deadlineScheduler);
    batchingContext =
        new BatchingQueue.BatchingContext(
            connection,
            timer,
            clock,
            storeClock,
            settings.maxInFlight,
            new AtomicInteger(),
            refusals,
            slots,
            states -> {
              corruptStates.addAndGet(states);
              guard.reportCorruptStates(states);
            },
            new ConcurrentLinkedQueue<>());
    shards = new RedisShards(layout, prefix, guard, batchingContext);
  }

  /** Returns the guard of the calls to the server. */
  StoreFailureGuard guard() {
    return guard;
  }

  /** Returns a scheduler on the threads of the connection. */
  Scheduler scheduler() {
    return (micros, task) -> connection.runAfter(Math.max(1, micros / MICROS_PER_MILLI), task);
  }

  @Override
  public CompletableFuture<ClaimOutcome[]> apply(
      Claim[] claims, StoreOperation operation, long when) {
    if (claims.length == 0) {
      return CompletableFuture.completedFuture(new ClaimOutcome[0]);
    }
    if (operation == StoreOperation.TAKE) {
      ClaimOutcome[] known = refusals.get(claims);
      if (known != null) {
        return CompletableFuture.completedFuture(known);
      }
    } else if (operation == StoreOperation.REFUND) {
      return forgetRefusals(claims, shards.apply(claims, operation, when));
    }
    return shards.apply(claims, operation, when);
  }

  /** Forgets remembered refusals of these claims, since a refund may make them available. */
  private CompletableFuture<ClaimOutcome[]> forgetRefusals(
      Claim[] claims, CompletableFuture<ClaimOutcome[]> refund) {
    refusals.invalidate(claims);
    return refund.thenApply(
        outcomes -> {
          refusals.invalidate(claims);
          return outcomes;
        });
  }

  @Override
  public Fingerprint fingerprint() {
    return shards.fingerprint();
  }

  @Override
  public boolean isAvailable() {
    return connection.isConnected() && guard.isAvailable();
  }

  @Override
  public StoreHealth health() {
    boolean connected = connection.isConnected();
    return new StoreHealth(
        connected && guard.isAvailable(),
        connected
            ? (guard.isAvailable() ? "answers" : "does not answer")
            : connection.disconnectReason(),
        Duration.of(connection.clockDriftMicros(), ChronoUnit.MICROS),
        guard.degradedDecisions(),
        corruptStates.get(),
        liveNodes.nodeCount(),
        0,
        0,
        Duration.ZERO);
  }

  private void useLayout(RedisLayout storedLayout) {
    RedisShards current = shards;
    if (!current.layout.equals(storedLayout)) {
      shards = new RedisShards(storedLayout, prefix, guard, batchingContext);
      current.retire();
    }
  }

  /** Sweeps the shards and probes an unavailable store. */
  private void runUpkeep() {
    shards.sweepIfDue();
    guard.probe();
  }

  /** Returns the slots of in-flight limits that this node holds, by the id of the rule. */
  Map<String, Long> heldSlots() {
    return slots.byRule();
  }

  /** Four times per lease, so that three lost calls in a row do not end it. */
  private long renewalMillis() {
    return Math.max(1, slots.leaseMicros() / MICROS_PER_MILLI / RENEWALS_PER_LEASE);
  }

  /** Connects, and waits a few seconds for it; without a server the store starts anyway. */
  ExactRedisStore connect() {
    CompletableFuture<Boolean> first = connection.open();
    connection.runEvery("redis-upkeep", UPKEEP_INTERVAL_MILLIS, this::runUpkeep);
    connection.runEvery("in-flight-lease", renewalMillis(), () -> slots.renew(this));
    if (first.completeOnTimeout(false, CONNECT_WAIT_MILLIS, TimeUnit.MILLISECONDS).join()) {
      shards.warmUp();
    }
    return this;
  }

  @Override
  public void close() {
    connection.close();
    guard.close();
  }
}
