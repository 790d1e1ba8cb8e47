package io.weir.bench.redis;

import io.weir.internal.rule.Claim;
import io.weir.internal.rule.Limit;
import io.weir.internal.store.ClaimOutcome;
import io.weir.internal.store.ClaimStore;
import io.weir.redis.RedisStore;
import io.weir.store.StoreOperation;
import java.util.concurrent.CompletionStage;

/** Weir's Redis store, with one or several rules per caller. */
final class WeirCandidate implements LimiterCandidate {
  private final ClaimStore store;
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
    long fingerprint = store.fingerprint().of(caller);
    Claim[] claims = new Claim[limits.length];
    for (int i = 0; i < claims.length; i++) {
      claims[i] = Claim.of(limits[i], fingerprint, cost);
    }
    return store.apply(claims, StoreOperation.TAKE);
  }

  @Override
  public boolean isAllowed(Object answer) {
    boolean admitted = true;
    for (ClaimOutcome outcome : (ClaimOutcome[]) answer) {
      if (outcome.degraded()) {
        throw new IllegalStateException("the store did not answer in time");
      }
      admitted &= outcome.admitted();
    }
    return admitted;
  }

  @Override
  public void close() {
    store.close();
  }
}
