package io.weir.bench;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.google.common.util.concurrent.RateLimiter;
import io.github.bucket4j.Bandwidth;
import io.github.bucket4j.Bucket;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import io.github.resilience4j.ratelimiter.internal.AtomicRateLimiter;
import io.weir.internal.rule.Claim;
import io.weir.internal.rule.CompiledRule;
import io.weir.internal.rule.Fingerprint;
import io.weir.internal.rule.Limit;
import io.weir.internal.store.MemoryStore;
import io.weir.rule.Rule;
import io.weir.rule.RuleBuilder;
import io.weir.store.Clock;
import io.weir.store.StoreOperation;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A limiter with one limit per String key, for Weir and its peers: {@value #RATE} per hour and a
 * burst that no benchmark exhausts, so that every request is allowed and no counter becomes full
 * again meanwhile, which Weir would expire.
 */
interface KeyedLimiter {
  int RATE = 100;
  long BURST = 10_000_000;
  long INTERVAL_NANOS = 3_600_000_000_000L / RATE;

  boolean tryAcquire(String key);

  /** Completes pending maintenance and fails if keys are missing. */
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

  /** Returns the limit for Bucket4j. */
  static Bandwidth bandwidth() {
    return Bandwidth.builder().capacity(BURST).refillGreedy(RATE, Duration.ofHours(1)).build();
  }

  /** Returns a rule builder with the limit for Weir. */
  static RuleBuilder ruleBuilder(String id) {
    return Rule.named(id).limit(RATE + "/hour").burst(BURST);
  }

  private static KeyedLimiter bucket4j() {
    Bandwidth limit = bandwidth();
    ConcurrentHashMap<String, Bucket> map = new ConcurrentHashMap<>();
    return key ->
        map.computeIfAbsent(key, k -> Bucket.builder().addLimit(limit).build()).tryConsume(1);
  }

  /** Guava has no burst parameter; it allows one second's permits, hence the higher rate. */
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

  /** Weir's memory store, with the fingerprint of the key; it stores no keys. */
  final class WeirKeyedLimiter implements KeyedLimiter {
    private final Limit limit =
        CompiledRule.of(ruleBuilder("api").per("user").build()).limits().get(0);
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
            "the store holds " + store.counters() + " of " + keys + " callers");
      }
    }
  }

  /** Bucket4j in a cache whose entries expire one hour after the last access. */
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
