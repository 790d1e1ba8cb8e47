package io.weir.bench;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.google.common.util.concurrent.RateLimiter;
import io.github.bucket4j.Bandwidth;
import io.github.bucket4j.Bucket;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import io.github.resilience4j.ratelimiter.internal.AtomicRateLimiter;
import io.weir.rule.Claim;
import io.weir.rule.Fingerprint;
import io.weir.rule.Limit;
import io.weir.rule.Rule;
import io.weir.rule.RuleBuilder;
import io.weir.store.Clock;
import io.weir.store.MemoryStore;
import io.weir.store.StoreOperation;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;

/**
 * One limit per String key, as Weir and its peers do it: {@value #RATE} an hour and a burst no
 * benchmark uses up, so that everything is allowed and no counter becomes fresh meanwhile, which
 * Weir would then forget.
 */
interface KeyedLimiter {
  int RATE = 100;
  long BURST = 10_000_000;
  long INTERVAL_NANOS = 3_600_000_000_000L / RATE;

  boolean tryAcquire(String key);

  /** Ends pending upkeep, and fails if not all keys are held any more. */
  default void verifyKeyCount(long keys) {}

  static KeyedLimiter create(String name, int keys) {
    return switch (name) {
      case "weir" -> new WeirKeyedLimiter();
      case "chm-bucket4j" -> bucket4j();
      case "caffeine-bucket4j" -> new CaffeineBucket4jLimiter();
      case "chm-guava" -> guava();
      case "chm-resilience4j" -> resilience4j();
      case "chm-gcra" -> gcra();
      case "flat-floor" -> flatTable(keys);
      default -> throw new IllegalArgumentException(name);
    };
  }

  /** The limit as Bucket4j has it. */
  static Bandwidth bandwidth() {
    return Bandwidth.builder().capacity(BURST).refillGreedy(RATE, Duration.ofHours(1)).build();
  }

  /** The limit as Weir has it, begun. */
  static RuleBuilder ruleBuilder(String id) {
    return Rule.named(id).limit(RATE + "/hour").burst(BURST);
  }

  private static KeyedLimiter bucket4j() {
    Bandwidth limit = bandwidth();
    ConcurrentHashMap<String, Bucket> map = new ConcurrentHashMap<>();
    return key ->
        map.computeIfAbsent(key, k -> Bucket.builder().addLimit(limit).build()).tryConsume(1);
  }

  /** Guava knows no burst; it lets a second's worth through, hence the higher rate. */
  private static KeyedLimiter guava() {
    ConcurrentHashMap<String, RateLimiter> map = new ConcurrentHashMap<>();
    return key -> map.computeIfAbsent(key, k -> RateLimiter.create(BURST)).tryAcquire();
  }

  private static KeyedLimiter resilience4j() {
    ConcurrentHashMap<String, AtomicRateLimiter> map = new ConcurrentHashMap<>();
    RateLimiterConfig config =
        RateLimiterConfig.custom()
            .limitForPeriod((int) BURST)
            .limitRefreshPeriod(Duration.ofHours(1))
            .timeoutDuration(Duration.ZERO)
            .build();
    return key ->
        map.computeIfAbsent(key, k -> new AtomicRateLimiter(k, config)).acquirePermission(1);
  }

  private static KeyedLimiter gcra() {
    ConcurrentHashMap<String, AtomicGcra> map = new ConcurrentHashMap<>();
    return key ->
        map.computeIfAbsent(key, k -> new AtomicGcra())
            .tryAcquire(INTERVAL_NANOS, INTERVAL_NANOS * BURST);
  }

  private static KeyedLimiter flatTable(int keys) {
    FlatTableBaseline table = new FlatTableBaseline(keys * 3 / 2);
    return key -> table.tryAcquire(key, INTERVAL_NANOS, INTERVAL_NANOS * BURST);
  }

  /** Weir's store, asked with the fingerprint of the key; it keeps no key. */
  final class WeirKeyedLimiter implements KeyedLimiter {
    private final Limit limit = ruleBuilder("api").per("user").build().limits().get(0);
    private final Fingerprint fingerprint = new Fingerprint(1, 2);
    private final MemoryStore store = new MemoryStore(Clock.system(), 512 << 20);

    @Override
    public boolean tryAcquire(String key) {
      Claim[] claims = {Claim.of(limit, fingerprint.of(key), 1)};
      return store.apply(claims, StoreOperation.TAKE).join()[0].admitted();
    }

    @Override
    public void verifyKeyCount(long keys) {
      if (store.counters() != keys) {
        throw new IllegalStateException(
            "of " + keys + " callers the store holds " + store.counters());
      }
    }
  }

  /** Bucket4j in a cache that forgets what has not been used for an hour. */
  final class CaffeineBucket4jLimiter implements KeyedLimiter {
    private final Bandwidth limit = bandwidth();
    private final Cache<String, Bucket> cache =
        Caffeine.newBuilder().expireAfterAccess(Duration.ofHours(1)).build();

    @Override
    public boolean tryAcquire(String key) {
      return cache.get(key, k -> Bucket.builder().addLimit(limit).build()).tryConsume(1);
    }

    @Override
    public void verifyKeyCount(long keys) {
      cache.cleanUp();
    }
  }
}
