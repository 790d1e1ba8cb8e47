package io.weir.server.traffic;

import io.weir.rules.database.DatabaseException;
import io.weir.store.Clock;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Makes a pulse beat every second and has its minutes kept, in threads of its own: a database that
 * is slow delays no beat. What it has not handed over at the end it hands over then.
 */
public final class Heart implements AutoCloseable {
  private static final Logger LOG = System.getLogger(Heart.class.getName());
  private static final int KEEP_SECONDS = 5;
  private static final long PATIENCE_SECONDS = 5;

  private final Pulse pulse;
  private final Clock clock;
  private final ScheduledExecutorService threads;

  private Heart(Pulse pulse, Clock clock) {
    this.pulse = pulse;
    this.clock = clock;
    threads =
        Executors.newScheduledThreadPool(
            2,
            task -> {
              Thread thread = new Thread(task, "weir-pulse");
              thread.setDaemon(true);
              return thread;
            });
  }

  /**
   * Begins.
   *
   * @param heard told of every second
   * @param lives done every few seconds, and may take its time
   */
  public static Heart start(Pulse pulse, Clock clock, Consumer<Second> heard, Runnable lives) {
    Heart heart = new Heart(pulse, clock);
    heart.every(1, () -> heard.accept(pulse.beat(heart.second())));
    heart.every(
        KEEP_SECONDS,
        () -> {
          pulse.keep(heart.second());
          lives.run();
        });
    return heart;
  }

  private void every(int seconds, Runnable task) {
    var unused = threads.scheduleAtFixedRate(guarded(task), 1, seconds, TimeUnit.SECONDS);
  }

  private long second() {
    return clock.wallMicros() / 1_000_000;
  }

  /** A beat that fails must not be the last. */
  private static Runnable guarded(Runnable task) {
    return () -> {
      try {
        task.run();
      } catch (DatabaseException e) {
        LOG.log(Level.DEBUG, "the database is away", e);
      } catch (RuntimeException e) {
        LOG.log(Level.WARNING, "looking at the traffic failed", e);
      }
    };
  }

  @Override
  public void close() {
    threads.shutdown();
    try {
      if (!threads.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        threads.shutdownNow();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    pulse.beat(second());
    pulse.keep(Long.MAX_VALUE);
  }
}
