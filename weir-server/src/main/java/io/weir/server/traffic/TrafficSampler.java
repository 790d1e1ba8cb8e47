package io.weir.server.traffic;

import io.weir.background.BackgroundTask;
import io.weir.rules.database.DatabaseException;
import io.weir.store.Clock;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/**
 * Makes a pulse beat every second and has its minutes kept, in threads of its own: a database that
 * is slow delays no beat. What it has not handed over at the end it hands over then.
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
      TrafficStats pulse, Clock clock, Consumer<TrafficSecond> heard, Runnable lives) {
    this.stats = pulse;
    this.clock = clock;
    tasks =
        List.of(
            task(
                "traffic-sampler",
                SAMPLE_INTERVAL,
                () -> heard.accept(pulse.sample(currentSecond()))),
            task(
                "traffic-history",
                FLUSH_INTERVAL,
                () -> {
                  pulse.flushMinutes(currentSecond());
                  lives.run();
                }));
  }

  /**
   * Begins.
   *
   * @param heard told of every second
   * @param lives done every few seconds, and may take its time
   */
  public static TrafficSampler start(
      TrafficStats pulse, Clock clock, Consumer<TrafficSecond> heard, Runnable lives) {
    return new TrafficSampler(pulse, clock, heard, lives);
  }

  private BackgroundTask task(String name, Duration interval, Runnable round) {
    return BackgroundTask.named(name, clock::micros)
        .interval(interval)
        .start(
            () -> {
              try {
                round.run();
              } catch (DatabaseException e) { // the rules' health tells of it
                LOG.log(Level.DEBUG, "the database is away", e);
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
