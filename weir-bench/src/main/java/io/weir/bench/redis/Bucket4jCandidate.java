package io.weir.bench.redis;

import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.distributed.AsyncBucketProxy;
import io.github.bucket4j.distributed.ExpirationAfterWriteStrategy;
import io.github.bucket4j.distributed.proxy.AsyncProxyManager;
import io.github.bucket4j.distributed.proxy.optimization.Optimizations;
import io.github.bucket4j.redis.lettuce.Bucket4jLettuce;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** Bucket4j on Lettuce, with a bucket proxy per request or, for batching, one per caller. */
final class Bucket4jCandidate implements LimiterCandidate {
  private final StatefulRedisConnection<String, byte[]> connection;
  private final Function<String, AsyncBucketProxy> buckets;
  private final long cost;

  private Bucket4jCandidate(
      StatefulRedisConnection<String, byte[]> connection,
      Function<String, AsyncBucketProxy> buckets,
      long cost) {
    this.connection = connection;
    this.buckets = buckets;
    this.cost = cost;
  }

  /** With the default configuration of its manual. */
  static LimiterCandidate plain(
      StatefulRedisConnection<String, byte[]> connection, BucketQuota quota) {
    AsyncProxyManager<String> proxies = proxies(connection);
    BucketConfiguration configuration = configuration(quota);
    return new Bucket4jCandidate(
        connection,
        caller -> proxies.getProxy(caller, () -> CompletableFuture.completedFuture(configuration)),
        quota.cost());
  }

  /** With the optimization that batches requests of a bucket while one is in flight. */
  static LimiterCandidate batching(
      StatefulRedisConnection<String, byte[]> connection, BucketQuota quota) {
    AsyncProxyManager<String> proxies = proxies(connection);
    BucketConfiguration configuration = configuration(quota);
    Map<String, AsyncBucketProxy> kept = new ConcurrentHashMap<>();
    Function<String, AsyncBucketProxy> open =
        caller ->
            proxies
                .builder()
                .withOptimization(Optimizations.batching())
                .build(caller, () -> CompletableFuture.completedFuture(configuration));
    return new Bucket4jCandidate(
        connection, caller -> kept.computeIfAbsent(caller, open), quota.cost());
  }

  private static AsyncProxyManager<String> proxies(
      StatefulRedisConnection<String, byte[]> connection) {
    return Bucket4jLettuce.casBasedBuilder(connection)
        .expirationAfterWrite(
            ExpirationAfterWriteStrategy.basedOnTimeForRefillingBucketUpToMax(
                Duration.ofMinutes(1)))
        .build()
        .asAsync();
  }

  private static BucketConfiguration configuration(BucketQuota quota) {
    return BucketConfiguration.builder()
        .addLimit(l -> l.capacity(quota.permits()).refillGreedy(quota.permits(), quota.period()))
        .build();
  }

  @Override
  public CompletionStage<?> decide(String caller) {
    return buckets.apply(caller).tryConsume(cost);
  }

  @Override
  public boolean isAllowed(Object answer) {
    return (Boolean) answer;
  }

  @Override
  public void close() {
    connection.close();
  }
}
