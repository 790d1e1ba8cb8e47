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

/** Redisson's RRateLimiter, with the settings and connections it has by itself. */
final class RedissonCandidate implements Candidate {
  private static final int AT_ONCE = 1000;

  private final RedissonClient redisson;
  private final Quota quota;
  private final boolean unprepared;

  private RedissonCandidate(RedissonClient redisson, Quota quota, boolean unprepared) {
    this.redisson = redisson;
    this.quota = quota;
    this.unprepared = unprepared;
  }

  /** With rates that were set beforehand and stay. */
  static Candidate prepared(String uri, Quota quota) {
    return new RedissonCandidate(open(uri), quota, false);
  }

  /** With rates that are set when a caller first asks and forgotten after a period. */
  static Candidate forgetting(String uri, Quota quota) {
    return new RedissonCandidate(open(uri), quota, true);
  }

  private static RedissonClient open(String uri) {
    Config config = new Config();
    config.useSingleServer().setAddress(uri);
    return Redisson.create(config);
  }

  /** Sets the first rate by its own means, and the others in bulk as it has written that one. */
  @Override
  public void prepare(int callers) {
    if (unprepared) {
      return;
    }
    redisson
        .getRateLimiter(Callers.name(0))
        .trySetRate(RateType.OVERALL, quota.permits(), quota.period());
    Map<String, String> written =
        redisson.<String, String>getMap(Callers.name(0), StringCodec.INSTANCE).readAllMap();
    for (int from = 0; from < callers; from += AT_ONCE) {
      RBatch batch = redisson.createBatch();
      for (int i = from; i < Math.min(callers, from + AT_ONCE); i++) {
        CompletableFuture<?> unused =
            batch
                .<String, String>getMap(Callers.name(i), StringCodec.INSTANCE)
                .putAllAsync(written)
                .toCompletableFuture();
      }
      batch.execute();
    }
  }

  @Override
  public CompletionStage<?> ask(String caller) {
    RRateLimiter limiter = redisson.getRateLimiter(caller);
    if (unprepared) {
      return limiter
          .trySetRateAsync(RateType.OVERALL, quota.permits(), quota.period(), quota.period())
          .thenCompose(set -> limiter.tryAcquireAsync());
    }
    return limiter.tryAcquireAsync();
  }

  @Override
  public boolean allowed(Object answer) {
    return (Boolean) answer;
  }

  @Override
  public void close() {
    redisson.shutdown();
  }
}
