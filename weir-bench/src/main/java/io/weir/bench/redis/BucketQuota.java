package io.weir.bench.redis;

import io.weir.internal.rule.CompiledRule;
import io.weir.internal.rule.Limit;
import io.weir.rule.Rate;
import io.weir.rule.Rule;
import java.time.Duration;
import java.util.List;

/**
 * The bucket of every caller in a trial: its permits and the period in which it refills.
 *
 * @param cost the permits per request; peers without a cost parameter always take one
 */
record BucketQuota(long permits, Duration period, long cost) {

  BucketQuota(long permits, Duration period) {
    this(permits, period, 1);
  }

  /** Returns this quota with another cost. */
  BucketQuota withCost(long permitsEach) {
    return new BucketQuota(permits, period, permitsEach);
  }

  /** Returns the limit for Weir, in a rule with this name. */
  Limit limit(String rule) {
    Rate rate = new Rate(permits, period);
    return CompiledRule.of(Rule.named(rule).per("user").limit(List.of(rate)).build())
        .limits()
        .get(0);
  }

  /** Returns the permits that are refilled in a time. */
  double permitsRefilledIn(double seconds) {
    return permits * seconds / period.toSeconds();
  }
}
