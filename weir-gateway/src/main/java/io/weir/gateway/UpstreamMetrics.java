package io.weir.gateway;

import static java.util.Objects.requireNonNull;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.weir.gateway.routing.Upstream;
import java.util.EnumMap;
import java.util.Map;

/** Counts the requests to one upstream by outcome. Safe for any number of threads. */
final class UpstreamMetrics {
  private final Counter answered;
  private final Map<ForwardingFailure, Counter> failed = new EnumMap<>(ForwardingFailure.class);

  UpstreamMetrics(MeterRegistry registry, Upstream upstream) {
    answered = counter(registry, upstream, "answered");
    for (ForwardingFailure failure : ForwardingFailure.values()) {
      failed.put(failure, counter(registry, upstream, failure.label()));
    }
  }

  private static Counter counter(MeterRegistry registry, Upstream upstream, String outcome) {
    return Counter.builder("weir.gateway.requests")
        .description("Admitted requests by outcome")
        .tag("upstream", upstream.authority())
        .tag("outcome", outcome)
        .register(registry);
  }

  void countAnswered() {
    answered.increment();
  }

  void countFailed(ForwardingFailure failure) {
    requireNonNull(failed.get(failure)).increment();
  }
}
