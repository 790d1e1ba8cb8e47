package io.weir.bench.redis;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.redisson.Redisson;
import org.redisson.api.RBatch;
import org.redisson.api.RRateLimiter;
import org.redisson.api.RateType;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;

/** Redisson's RRateLimiter, with its default settings and connections. */
final class RedissonCandidate implements LimiterCandidate {
  private static final int BATCH_SIZE = 1000;

  private final RedissonClient redisson;
  private final BucketQuota quota;
  private final boolean setsRateOnUse;

  private RedissonCandidate(RedissonClient redisson, BucketQuota quota, boolean unprepared) {
    this.redisson = redisson;
    this.quota = quota;
    this.setsRateOnUse = unprepared;
  }

  /** With rates that are set before the measurement and do not expire. */
  static LimiterCandidate prepared(String uri, BucketQuota quota) {
    return new RedissonCandidate(open(uri), quota, false);
  }

  /** With rates that are set on each request and expire after a period. */
  static LimiterCandidate forgetting(String uri, BucketQuota quota) {
    return new RedissonCandidate(open(uri), quota, true);
  }

  private static RedissonClient open(String uri) {
    Config config = new Config();
    config.useSingleServer().setAddress(uri);
    return Redisson.create(config);
  }

  /** Sets the first rate through the API and copies its stored fields to the others in bulk. */
  @Override
  public void prepare(int callers) {
    if (setsRateOnUse) {
      return;
    }
    redisson
        .getRateLimiter(CallerSequence.callerName(0))
        .trySetRate(RateType.OVERALL, quota.permits(), quota.period());
    Map<String, String> written =
        redisson
            .<String, String>getMap(CallerSequence.callerName(0), StringCodec.INSTANCE)
            .readAllMap();
    for (int from = 0; from < callers; from += BATCH_SIZE) {
      RBatch batch = redisson.createBatch();
      for (int i = from; i < Math.min(callers, from + BATCH_SIZE); i++) {
        CompletableFuture<?> unused =
            batch
                .<String, String>getMap(CallerSequence.callerName(i), StringCodec.INSTANCE)
                .putAllAsync(written)
                .toCompletableFuture();
      }
      batch.execute();
    }
  }

  @Override
  public CompletionStage<?> decide(String caller) {
    RRateLimiter limiter = redisson.getRateLimiter(caller);
    if (setsRateOnUse) {
      return limiter
          .trySetRateAsync(RateType.OVERALL, quota.permits(), quota.period(), quota.period())
          .thenCompose(set -> limiter.tryAcquireAsync());
    }
    return limiter.tryAcquireAsync();
  }

  @Override
  public boolean isAllowed(Object answer) {
    return (Boolean) answer;
  }

  @Override
  public void close() {
    redisson.shutdown();
  }
}
