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
public final class Heart implements AutoCloseable {
  private static final Logger LOG = System.getLogger(Heart.class.getName());
  private static final Duration SAMPLE = Duration.ofSeconds(1);
  private static final Duration KEEP = Duration.ofSeconds(5);
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final Pulse pulse;
  private final Clock clock;
  private final List<BackgroundTask> tasks;

  private Heart(Pulse pulse, Clock clock, Consumer<Second> heard, Runnable lives) {
    this.pulse = pulse;
    this.clock = clock;
    tasks =
        List.of(
            task("traffic-sampler", SAMPLE, () -> heard.accept(pulse.beat(second()))),
            task(
                "traffic-history",
                KEEP,
                () -> {
                  pulse.keep(second());
                  lives.run();
                }));
  }

  /**
   * Begins.
   *
   * @param heard told of every second
   * @param lives done every few seconds, and may take its time
   */
  public static Heart start(Pulse pulse, Clock clock, Consumer<Second> heard, Runnable lives) {
    return new Heart(pulse, clock, heard, lives);
  }

  private BackgroundTask task(String name, Duration interval, Runnable round) {
    return BackgroundTask.named(name, clock::micros)
        .pause(interval)
        .start(
            () -> {
              try {
                round.run();
              } catch (DatabaseException e) { // the rules' health tells of it
                LOG.log(Level.DEBUG, "the database is away", e);
              }
            });
  }

  private long second() {
    return clock.wallMicros() / 1_000_000;
  }

  @Override
  public void close() {
    tasks.forEach(BackgroundTask::stop);
    tasks.forEach(task -> task.close(PATIENCE));
    pulse.beat(second());
    pulse.keep(Long.MAX_VALUE);
  }
}
