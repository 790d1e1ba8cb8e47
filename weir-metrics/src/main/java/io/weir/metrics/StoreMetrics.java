package io.weir.metrics;

import static java.util.Locale.ROOT;
import static java.util.Objects.requireNonNull;
import static java.util.concurrent.TimeUnit.MICROSECONDS;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.weir.store.StoreFailureKind;
import io.weir.store.StoreListener;
import io.weir.store.StoreOperation;
import java.util.EnumMap;
import java.util.Map;

/** Records the answers of a store, their latency, and its failures. Thread-safe. */
final class StoreMetrics implements StoreListener {
  private final Map<StoreOperation, Timer> latencies = new EnumMap<>(StoreOperation.class);
  private final Map<StoreFailureKind, Counter> errors = new EnumMap<>(StoreFailureKind.class);
  private final Counter outages;
  private final Counter corruptStates;

  StoreMetrics(MeterRegistry registry) {
    for (StoreOperation mode : StoreOperation.values()) {
      latencies.put(
          mode,
          Timer.builder("weir.store")
              .description("Time from a request to the store until its answer, including queueing")
              .tag("operation", mode.name().toLowerCase(ROOT))
              .serviceLevelObjectives(LatencyBuckets.LATENCY)
              .register(registry));
    }
    for (StoreFailureKind kind : StoreFailureKind.values()) {
      errors.put(
          kind,
          Counter.builder("weir.store.errors")
              .description("Decisions that the store did not answer in time")
              .tag("kind", kind.name().toLowerCase(ROOT))
              .register(registry));
    }
    outages =
        Counter.builder("weir.store.lost")
            .description("How often the circuit breaker of the store opened")
            .register(registry);
    corruptStates =
        Counter.builder("weir.store.corrupt.states")
            .description("Counter states that could not be read and were treated as fresh")
            .register(registry);
  }

  @Override
  public void onAnswer(StoreOperation mode, long micros) {
    requireNonNull(latencies.get(mode)).record(micros, MICROSECONDS);
  }

  @Override
  public void onFailure(StoreFailureKind kind, String reason) {
    requireNonNull(errors.get(kind)).increment();
  }

  @Override
  public void onUnavailable(String reason) {
    outages.increment();
  }

  @Override
  public void onCorruptStates(int states) {
    corruptStates.increment(states);
  }
}
