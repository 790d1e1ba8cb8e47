package io.weir.redis;

import io.weir.internal.background.TaskMonitor;
import io.weir.internal.rule.Claim;
import io.weir.internal.rule.Fingerprint;
import io.weir.internal.store.ClaimOutcome;
import io.weir.internal.store.ClaimStore;
import io.weir.internal.store.Scheduler;
import io.weir.internal.store.StoreFailureGuard;
import io.weir.internal.store.nodes.RefusalCache;
import io.weir.internal.store.nodes.RoutingStore;
import io.weir.store.Clock;
import io.weir.store.StoreHealth;
import io.weir.store.StoreListener;
import io.weir.store.StoreOperation;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A store that keeps counters in Redis or Valkey. Any number of nodes share one budget; decisions
 * are made inside the server, by the server's clock.
 *
 * <p>All claims of a request take one round trip and are charged all or nothing. In a Redis Cluster
 * this holds for claims that count per the same attributes. Other claims may be on different slots:
 * these are called concurrently, and if one of them refuses, the charges of the others are
 * refunded.
 *
 * <p>The store starts without a server and survives the loss of one: a request without a reply by
 * the deadline is answered by the rule's fallback. Safe for any number of threads.
 *
 * <pre>{@code
 * Store store = RedisStore.at("redis://127.0.0.1:6379").open();
 * Limiter limiter = Weir.limiter(rules).store(store).build();
 * }</pre>
 */
public final class RedisStore implements ClaimStore {
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
            states -> {
              corruptStates.addAndGet(states);
              guard.reportCorruptStates(states);
            },
            new ConcurrentLinkedQueue<>());
    shards = new RedisShards(layout, prefix, guard, batchingContext);
    Scheduler scheduler =
        (micros, task) -> connection.runAfter(Math.max(1, micros / MICROS_PER_MILLI), task);
    routedStore =
        new RoutingStore(new ExactRedisStore(), guard, scheduler, settings.spikeThreshold);
  }

  /**
   * Starts building a store at {@code redis://[user:password@]host:port[/database]}, {@code
   * redis-sentinel://host:port,host:port/master} or {@code redis-cluster://host:port,host:port};
   * with {@code rediss} instead of {@code redis} for TLS.
   *
   * @throws IllegalArgumentException if the address is invalid, with the reason
   */
  public static Builder at(String url) {
    RedisAddress.parse(url);
    return new Builder(url);
  }

  @Override
  public CompletableFuture<ClaimOutcome[]> apply(
      Claim[] claims, StoreOperation operation, long when) {
    return routedStore.apply(claims, operation, when);
  }

  /** Lets the server decide, except for requests whose refusal is already known. */
  private final class ExactRedisStore implements ClaimStore {
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

  /** Builds a {@link RedisStore}. */
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

    /** Sets how long a decision may take, including the time in the queue; 5 ms by default. */
    public Builder deadline(Duration one) {
      deadline = one;
      return this;
    }

    /** Sets how many decisions may wait at once; further ones are answered by the fallback. */
    public Builder maxWaiting(int decisions) {
      maxWaiting = decisions;
      return this;
    }

    /**
     * Sets how many decisions may be in flight, in a Cluster per shard. This bounds the charges
     * whose outcome is unknown when a server freezes and comes back.
     */
    public Builder maxInFlight(int decisions) {
      maxInFlight = require(decisions >= 1, decisions, "max-in-flight must be at least 1", "1024");
      return this;
    }

    /** Sets the number of keys a Cluster's counters are spread over; a power of two to 65536. */
    public Builder shards(int count) {
      boolean valid = count >= 1 && count <= RedisLayout.MAX_SHARDS && Integer.bitCount(count) == 1;
      shards = require(valid, count, "shards must be a power of two from 1 to 65536", "1024");
      return this;
    }

    /**
     * Sets the number of packed buckets, the Redis fields that counters share, rounded up to the
     * next power of two. With a fourth as many buckets as counters, each counter takes about 35
     * bytes, at half the speed. With 0, the default, each counter has its own field and takes about
     * 75 bytes.
     */
    public Builder packedBuckets(int count) {
      boolean valid = count >= 0 && count <= RedisLayout.MAX_PACKED_BUCKETS;
      String rule = "packed-buckets must be from 0 to " + RedisLayout.MAX_PACKED_BUCKETS;
      packedBuckets = RedisLayout.roundUpPackedBuckets(require(valid, count, rule, "250000"));
      return this;
    }

    /** Sets the prefix of all keys, for several Weir deployments on one Redis. */
    public Builder prefix(String text) {
      if (!text.matches("[a-zA-Z0-9:._-]{1,64}")) {
        throw new IllegalArgumentException(
            "prefix must be 1 to 64 characters of a-z, A-Z, 0-9 and :._- (was '"
                + text
                + "'), for example weir");
      }
      prefix = text;
      return this;
    }

    /**
     * Sets the server latency above which this node decides from its own view of each counter,
     * marks the decisions as degraded, and reports them to the server afterwards; never by default.
     */
    public Builder spikeThreshold(Duration threshold) {
      spikeThreshold = threshold;
      return this;
    }

    /** Sets the listener for replies, failures and availability of the store. */
    public Builder listener(StoreListener one) {
      listener = one;
      return this;
    }

    /** Sets a clock to decide by instead of the server's clock, for tests. */
    Builder storeClock(Clock one) {
      storeClock = one;
      return this;
    }

    /**
     * Opens the store. Waits up to three seconds for the connection. Without one, the store starts
     * anyway, answers by fallback, and connects as soon as the server is reachable.
     */
    public RedisStore open() {
      return new RedisStore(this).connect();
    }

    private static int require(boolean condition, int value, String rule, String example) {
      if (!condition) {
        throw new IllegalArgumentException(rule + " (was " + value + "), for example " + example);
      }
      return value;
    }
  }
}
