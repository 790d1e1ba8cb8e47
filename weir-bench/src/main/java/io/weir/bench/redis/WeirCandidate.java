package io.weir.bench.redis;

import io.weir.redis.RedisStore;
import io.weir.rule.Claim;
import io.weir.rule.Limit;
import io.weir.store.ClaimOutcome;
import io.weir.store.Store;
import io.weir.store.StoreOperation;
import java.util.concurrent.CompletionStage;

/** Weir's store, asked with the fingerprint of the caller's name under one rule or several. */
final class WeirCandidate implements LimiterCandidate {
  private final Store store;
  private final Limit[] limits;
  private final long cost;

  WeirCandidate(RedisStore store, BucketQuota quota, String... rules) {
    this.store = store;
    limits = new Limit[rules.length];
    for (int i = 0; i < rules.length; i++) {
      limits[i] = quota.limit(rules[i]);
    }
    cost = quota.cost();
  }

  @Override
  public CompletionStage<?> decide(String caller) {
    long print = store.fingerprint().of(caller);
    Claim[] claims = new Claim[limits.length];
    for (int i = 0; i < claims.length; i++) {
      claims[i] = Claim.of(limits[i], print, cost);
    }
    return store.apply(claims, StoreOperation.TAKE);
  }

  @Override
  public boolean isAllowed(Object answer) {
    boolean fits = true;
    for (ClaimOutcome outcome : (ClaimOutcome[]) answer) {
      if (outcome.degraded()) {
        throw new IllegalStateException("the store had no answer");
      }
      fits &= outcome.admitted();
    }
    return fits;
  }

  @Override
  public void close() {
    store.close();
  }
}
