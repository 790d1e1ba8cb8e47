package io.weir.redis;

import io.weir.internal.store.nodes.HeldSlots;
import io.weir.internal.store.nodes.RoutingStore;
import io.weir.store.Clock;
import io.weir.store.StoreListener;
import java.time.Duration;
import java.util.Map;
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
public final class RedisStore extends RoutingStore {
  private final ExactRedisStore exact;

  private RedisStore(ExactRedisStore exact, Duration spikeThreshold) {
    super(exact, exact.guard(), exact.scheduler(), spikeThreshold);
    this.exact = exact;
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

  /** Returns the slots of in-flight limits that this node holds, by the id of the rule. */
  public Map<String, Long> heldSlots() {
    return exact.heldSlots();
  }

  @Override
  public void close() {
    super.close();
    exact.close();
  }

  /** Builds a {@link RedisStore}. */
  public static final class Builder {
    final String url;
    Duration deadline = Duration.ofMillis(5);
    int maxWaiting = 10_000;
    int maxInFlight = 1024;
    int shards = 1024;
    int packedBuckets;
    String prefix = "weir";
    StoreListener listener = StoreListener.NONE;
    Duration spikeThreshold = Duration.ZERO;
    Duration nodeLease = HeldSlots.DEFAULT_LEASE;
    @Nullable Clock storeClock;

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

    /**
     * Sets how long the slots of in-flight limits that this node holds stay in use after it has
     * disappeared; 5 s by default.
     */
    public Builder nodeLease(Duration lease) {
      if (lease.toMillis() < 100 || lease.compareTo(Duration.ofMinutes(10)) > 0) {
        throw new IllegalArgumentException(
            "node-lease must be between 100ms and 10m (was " + lease + "), for example 5s");
      }
      nodeLease = lease;
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
      return new RedisStore(new ExactRedisStore(this).connect(), spikeThreshold);
    }

    private static int require(boolean condition, int value, String rule, String example) {
      if (!condition) {
        throw new IllegalArgumentException(rule + " (was " + value + "), for example " + example);
      }
      return value;
    }
  }
}
