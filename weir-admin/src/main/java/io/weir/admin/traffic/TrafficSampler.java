package io.weir.admin.traffic;

import io.weir.internal.background.BackgroundTask;
import io.weir.rules.database.DatabaseException;
import io.weir.store.Clock;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/**
 * Background tasks that sample the traffic every second and flush ended minutes to the history.
 * They use separate threads, so a slow database delays no sample. Closing flushes the rest.
 */
public final class TrafficSampler implements AutoCloseable {
  private static final Logger LOG = System.getLogger(TrafficSampler.class.getName());
  private static final Duration SAMPLE_INTERVAL = Duration.ofSeconds(1);
  private static final Duration FLUSH_INTERVAL = Duration.ofSeconds(5);
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

  private final TrafficStats stats;
  private final Clock clock;
  private final List<BackgroundTask> tasks;

  private TrafficSampler(
      TrafficStats pulse, Clock clock, Consumer<TrafficSecond> onSecond, Runnable onFlush) {
    this.stats = pulse;
    this.clock = clock;
    tasks =
        List.of(
            task(
                "traffic-sampler",
                SAMPLE_INTERVAL,
                () -> onSecond.accept(pulse.sample(currentSecond()))),
            task(
                "traffic-history",
                FLUSH_INTERVAL,
                () -> {
                  pulse.flushMinutes(currentSecond());
                  onFlush.run();
                }));
  }

  /**
   * Starts the tasks.
   *
   * @param onSecond called with every sampled second
   * @param onFlush called every few seconds after the flush; may block
   */
  public static TrafficSampler start(
      TrafficStats stats, Clock clock, Consumer<TrafficSecond> onSecond, Runnable onFlush) {
    return new TrafficSampler(stats, clock, onSecond, onFlush);
  }

  private BackgroundTask task(String name, Duration interval, Runnable round) {
    return BackgroundTask.named(name, clock::micros)
        .interval(interval)
        .start(
            () -> {
              try {
                round.run();
              } catch (DatabaseException e) { // also reported by rule health
                LOG.log(Level.DEBUG, "the database is unavailable", e);
              }
            });
  }

  private long currentSecond() {
    return clock.wallMicros() / 1_000_000;
  }

  @Override
  public void close() {
    tasks.forEach(BackgroundTask::stop);
    tasks.forEach(task -> task.close(CLOSE_TIMEOUT));
    stats.sample(currentSecond());
    stats.flushMinutes(Long.MAX_VALUE);
  }
}
