package io.weir.metrics;

import static java.util.Locale.ROOT;
import static java.util.Objects.requireNonNull;
import static java.util.concurrent.TimeUnit.MICROSECONDS;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.weir.store.Mode;
import io.weir.store.StoreException.Kind;
import io.weir.store.StoreListener;
import java.util.EnumMap;
import java.util.Map;

/** Counts what a store answers, how soon, and how it fails. Safe for any number of threads. */
final class StoreMetrics implements StoreListener {
  private final Map<Mode, Timer> seconds = new EnumMap<>(Mode.class);
  private final Map<Kind, Counter> errors = new EnumMap<>(Kind.class);
  private final Counter lost;
  private final Counter corrupt;

  StoreMetrics(MeterRegistry registry) {
    for (Mode mode : Mode.values()) {
      seconds.put(
          mode,
          Timer.builder("weir.store")
              .description("From asking the store to its answer, waiting for a turn included")
              .tag("operation", mode.name().toLowerCase(ROOT))
              .serviceLevelObjectives(Buckets.LATENCY)
              .register(registry));
    }
    for (Kind kind : Kind.values()) {
      errors.put(
          kind,
          Counter.builder("weir.store.errors")
              .description("Decisions the store did not answer in time")
              .tag("kind", kind.name().toLowerCase(ROOT))
              .register(registry));
    }
    lost =
        Counter.builder("weir.store.lost")
            .description("How often the store was given up until it answers a probe")
            .register(registry);
    corrupt =
        Counter.builder("weir.store.corrupt.states")
            .description("States that could not be read and were taken as fresh")
            .register(registry);
  }

  @Override
  public void answered(Mode mode, long micros) {
    requireNonNull(seconds.get(mode)).record(micros, MICROSECONDS);
  }

  @Override
  public void failed(Kind kind, String reason) {
    requireNonNull(errors.get(kind)).increment();
  }

  @Override
  public void lost(String reason) {
    lost.increment();
  }

  @Override
  public void corrupt(int states) {
    corrupt.increment(states);
  }
}
