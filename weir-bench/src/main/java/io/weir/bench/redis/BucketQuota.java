package io.weir.bench.redis;

import io.weir.rule.Limit;
import io.weir.rule.Rate;
import io.weir.rule.Rule;
import java.time.Duration;
import java.util.List;

/**
 * What every caller of a trial has: a bucket of so many permits that fills in a period.
 *
 * @param cost what one request takes; the peers that always take one do so here as well
 */
record BucketQuota(long permits, Duration period, long cost) {

  BucketQuota(long permits, Duration period) {
    this(permits, period, 1);
  }

  /** The same with another cost. */
  BucketQuota withCost(long permitsEach) {
    return new BucketQuota(permits, period, permitsEach);
  }

  /** The quota as Weir has it, under a rule of this name. */
  Limit limit(String rule) {
    Rate rate = new Rate(permits, period);
    return Rule.named(rule).per("user").limit(List.of(rate)).build().limits().get(0);
  }

  /** The permits that come back in so many seconds. */
  double permitsRefilledIn(double seconds) {
    return permits * seconds / period.toSeconds();
  }
}
