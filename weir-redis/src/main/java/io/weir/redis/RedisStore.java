package io.weir.redis;

import io.weir.background.TaskMonitor;
import io.weir.rule.Claim;
import io.weir.rule.Fingerprint;
import io.weir.store.ClaimOutcome;
import io.weir.store.Clock;
import io.weir.store.Scheduler;
import io.weir.store.Store;
import io.weir.store.StoreFailureGuard;
import io.weir.store.StoreHealth;
import io.weir.store.StoreListener;
import io.weir.store.StoreOperation;
import io.weir.store.nodes.RefusalCache;
import io.weir.store.nodes.RoutingStore;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Counters in Redis or Valkey: any number of nodes, one budget, decided inside the server by its
 * own clock.
 *
 * <p>All claims of a request are one round trip, all or nothing. In a Cluster that holds for claims
 * that count per the same attributes; those that do not may be on other slots, which are asked at
 * the same time, and what one of them took is given back when another refuses.
 *
 * <p>It starts without a server, and outlives one: what is not answered by the deadline is answered
 * by the rule's posture. Safe for any number of threads.
 *
 * <pre>{@code
 * Store store = RedisStore.at("redis://127.0.0.1:6379").open();
 * Limiter limiter = Weir.limiter(rules).store(store).build();
 * }</pre>
 */
public final class RedisStore implements Store {
  private static final long UPKEEP_INTERVAL_MILLIS = 500;
  private static final long CONNECT_WAIT_MILLIS = 3000;
  private static final long MICROS_PER_MILLI = 1000;

  private final RedisConnection connection;
  private final LiveNodeRegistry liveNodes;
  private final StoreFailureGuard guard;
  private final RefusalCache refusals;
  private final RoutingStore routedStore;
  private final BatchingQueue.BatchingContext batchingContext;
  private final String prefix;
  private final AtomicLong corruptStates = new AtomicLong();
  private volatile RedisShards shards;

  private RedisStore(Builder settings) {
    RedisAddress address = RedisAddress.parse(settings.url);
    Clock storeClock = settings.storeClock;
    Clock clock = storeClock == null ? Clock.system() : storeClock;
    prefix = settings.prefix;
    Clock timer = Clock.system();
    refusals = new RefusalCache(clock);
    boolean cluster = address.kind() == RedisAddress.RedisAddressKind.CLUSTER;
    RedisLayout setup =
        RedisLayout.withRandomSeed(cluster ? settings.shards : 1, settings.packedBuckets);
    RedisHandshake handshake = new RedisHandshake(address, prefix, setup, this::useLayout);
    liveNodes = new LiveNodeRegistry(prefix);
    connection =
        new RedisConnection(address, handshake, liveNodes, Clock.wall(), settings.deadline);
    TaskMonitor ticks = connection.monitorOnDemand("store-deadlines");
    Scheduler deadlines =
        (micros, task) -> connection.replyEventLoops().schedule(micros, () -> ticks.run(task::run));
    guard =
        new StoreFailureGuard(
            timer, settings.deadline, settings.maxWaiting, settings.listener, deadlines);
    batchingContext =
        new BatchingQueue.BatchingContext(
            connection,
            timer,
            clock,
            storeClock,
            settings.maxInFlight,
            new AtomicInteger(),
            refusals,
            states -> {
              corruptStates.addAndGet(states);
              guard.reportCorruptStates(states);
            },
            new ConcurrentLinkedQueue<>());
    shards = new RedisShards(setup, prefix, guard, batchingContext);
    Scheduler alarm =
        (micros, task) -> connection.runAfter(Math.max(1, micros / MICROS_PER_MILLI), task);
    routedStore = new RoutingStore(new ExactRedisStore(), guard, alarm, settings.spikeThreshold);
  }

  /**
   * Begins a store at {@code redis://[user:password@]host:port[/database]}, {@code
   * redis-sentinel://host:port,host:port/master} or {@code redis-cluster://host:port,host:port};
   * with {@code rediss} for {@code redis} over TLS.
   *
   * @throws IllegalArgumentException saying what is wrong with the address
   */
  public static Builder at(String url) {
    RedisAddress.parse(url);
    return new Builder(url);
  }

  @Override
  public CompletableFuture<ClaimOutcome[]> apply(Claim[] claims, StoreOperation mode, long when) {
    return routedStore.apply(claims, mode, when);
  }

  /** Has the server decide, unless it is known what it would say. */
  private final class ExactRedisStore implements Store {
    @Override
    public CompletableFuture<ClaimOutcome[]> apply(Claim[] claims, StoreOperation mode, long when) {
      if (claims.length == 0) {
        return CompletableFuture.completedFuture(new ClaimOutcome[0]);
      }
      if (mode == StoreOperation.TAKE) {
        ClaimOutcome[] known = refusals.get(claims);
        if (known != null) {
          return CompletableFuture.completedFuture(known);
        }
      } else if (mode == StoreOperation.REFUND) {
        return forgetRefusals(claims, shards.apply(claims, mode, when));
      }
      return shards.apply(claims, mode, when);
    }

    /** Lets those who were refused ask again once something was given back. */
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
        routedStore.leasedPermits(),
        routedStore.unsyncedPermits(),
        Duration.of(routedStore.syncLagMicros(), ChronoUnit.MICROS));
  }

  private void useLayout(RedisLayout theirs) {
    RedisShards ours = shards;
    if (!ours.layout.equals(theirs)) {
      shards = new RedisShards(theirs, prefix, guard, batchingContext);
      ours.retire();
    }
  }

  /** Lets every shelf forget a little, and asks lost stores whether they answer. */
  private void runUpkeep() {
    shards.sweepIfDue();
    guard.probe();
  }

  private RedisStore connect() {
    CompletableFuture<Boolean> first = connection.open();
    connection.runEvery("redis-upkeep", UPKEEP_INTERVAL_MILLIS, this::runUpkeep);
    if (first.completeOnTimeout(false, CONNECT_WAIT_MILLIS, TimeUnit.MILLISECONDS).join()) {
      shards.warmUp();
    }
    return this;
  }

  @Override
  public void close() {
    routedStore.close();
    connection.close();
    guard.close();
  }

  /** A Redis store in the making. */
  public static final class Builder {
    private final String url;
    private Duration deadline = Duration.ofMillis(5);
    private int maxWaiting = 10_000;
    private int maxInFlight = 1024;
    private int shards = 1024;
    private int packedBuckets;
    private String prefix = "weir";
    private StoreListener listener = StoreListener.NONE;
    private Duration spikeThreshold = Duration.ZERO;
    private @Nullable Clock storeClock;

    private Builder(String url) {
      this.url = url;
    }

    /** How long a decision may take, waiting for its turn included; 5 ms if not said. */
    public Builder deadline(Duration one) {
      deadline = one;
      return this;
    }

    /** How many decisions may wait at once; further ones are answered by posture. */
    public Builder maxWaiting(int decisions) {
      maxWaiting = decisions;
      return this;
    }

    /**
     * How many decisions may be sent and unanswered, in a Cluster to each shelf: the most that can
     * be charged without anybody knowing when a server freezes and comes back.
     */
    public Builder maxInFlight(int decisions) {
      maxInFlight = require(decisions >= 1, decisions, "decisions in flight cannot be; at least 1");
      return this;
    }

    /** Over how many keys a Cluster's counters are spread; a power of two up to 65536. */
    public Builder shards(int count) {
      boolean fits = count >= 1 && count <= RedisLayout.MAX_SHARDS && Integer.bitCount(count) == 1;
      shards = require(fits, count, "shelves cannot be; write a power of two up to 65536");
      return this;
    }

    /**
     * Over how many fields of Redis the counters are spread, up to the next power of two: with a
     * fourth as many as there are counters, each takes about 35 bytes, at half the speed. If not
     * said, or 0, each has a field of its own and takes about 75.
     */
    public Builder packedBuckets(int count) {
      boolean fits = count >= 0 && count <= RedisLayout.MAX_PACKED_BUCKETS;
      packedBuckets =
          RedisLayout.roundUpPackedBuckets(
              require(
                  fits, count, "pages cannot be; write 0 to " + RedisLayout.MAX_PACKED_BUCKETS));
      return this;
    }

    /** What the keys begin with, for several Weirs on one Redis. */
    public Builder prefix(String text) {
      if (!text.matches("[a-zA-Z0-9:._-]{1,64}")) {
        throw new IllegalArgumentException(
            "a prefix of '" + text + "' cannot be; write 1 to 64 of a-z, A-Z, 0-9 and :._-");
      }
      prefix = text;
      return this;
    }

    /**
     * Above which latency of the server this node answers from what it knows of each counter, marks
     * the decisions as degraded, and tells the server afterwards; never if not said.
     */
    public Builder spikeThreshold(Duration threshold) {
      spikeThreshold = threshold;
      return this;
    }

    /** Hears how the store fares. */
    public Builder listener(StoreListener one) {
      listener = one;
      return this;
    }

    /** The time to decide by instead of the server's, for tests. */
    Builder storeClock(Clock one) {
      storeClock = one;
      return this;
    }

    /**
     * Opens it. Waits a moment for the connection; where there is none it starts without, answers
     * by postures, and joins when there is.
     */
    public RedisStore open() {
      return new RedisStore(this).connect();
    }

    private static int require(boolean condition, int value, String reason) {
      if (!condition) {
        throw new IllegalArgumentException(value + " " + reason);
      }
      return value;
    }
  }
}
