package io.weir.rules.database;

import io.weir.internal.background.BackgroundTask;
import io.weir.store.Clock;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A thread that polls the database when a change is notified, and at a fixed interval anyway.
 *
 * <p>It listens and polls on the same connection: a connection that broke unnoticed is detected by
 * the next poll and reopened.
 */
final class ChangePoller implements AutoCloseable {
  private static final Logger LOG = System.getLogger(ChangePoller.class.getName());

  /** How long a connection may be silent before the driver gives it up. */
  private static final Duration MAX_SILENCE = Duration.ofSeconds(5);

  private final Database database;
  private final Duration interval;
  private final ChangePoll changePoll;
  private final Clock clock;
  private volatile @Nullable BackgroundTask task;
  private final CountDownLatch closeSignal = new CountDownLatch(1);
  private volatile @Nullable Connection connection;
  private volatile boolean closed;
  private boolean unreachable;

  /** Reads the changes since the last poll. */
  @FunctionalInterface
  interface ChangePoll {
    void poll(Connection connection) throws SQLException;
  }

  ChangePoller(Database database, Duration interval, Clock clock, ChangePoll changePoll) {
    this.database = database;
    this.interval = interval;
    this.clock = clock;
    this.changePoll = changePoll;
  }

  /** Polls for the first time, in the thread of the caller. */
  void pollFirst() throws SQLException {
    try {
      pollNow();
    } catch (SQLException | RuntimeException e) {
      unreachable = true;
      disconnect();
      throw e;
    }
  }

  void start() {
    task =
        BackgroundTask.named("rules-database", clock::micros)
            .maxInterval(interval.plus(MAX_SILENCE))
            .start(this::runOnce);
  }

  private void runOnce() throws InterruptedException {
    try {
      Connection open = connection;
      if (open == null || !database.dialect().awaitNotification(open, interval)) {
        waitForInterval();
      }
      if (!closed) {
        pollWithReopen();
      }
      if (unreachable) {
        LOG.log(Level.INFO, "{0} responds again", database);
      }
      unreachable = false;
    } catch (SQLException | RuntimeException e) {
      markUnreachable(e);
    } catch (Error e) {
      disconnect(); // its transaction may see only old rows
      throw e;
    }
  }

  /** Reopens an embedded database that was closed by a failed write. */
  private void pollWithReopen() throws SQLException {
    try {
      pollNow();
    } catch (SQLException e) {
      if (!database.dialect().isClosed(e)) {
        throw e;
      }
      disconnect();
      pollNow();
    }
  }

  /** Does not use interrupts: an interrupt during a poll would break an embedded database. */
  private void waitForInterval() throws InterruptedException {
    var unused = closeSignal.await(interval.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void pollNow() throws SQLException {
    Connection open = connection;
    if (open == null) {
      open = database.openListeningConnection();
      connection = open;
    }
    changePoll.poll(open);
    // ends the transaction, so that the next poll sees new changes
    open.rollback();
  }

  private void markUnreachable(Exception e) {
    if (!closed && !unreachable) {
      LOG.log(
          Level.WARNING,
          "{0} does not respond, the last good rules stay in force: {1}",
          database,
          DatabaseException.oneLine(String.valueOf(e.getMessage())));
    }
    unreachable = true;
    disconnect();
  }

  private void disconnect() {
    Connection open = connection;
    connection = null;
    if (open != null) {
      try {
        database.dialect().abort(open);
      } catch (SQLException e) {
        LOG.log(Level.DEBUG, "failed to close a lost connection", e);
      }
    }
  }

  @Override
  public void close() {
    closed = true;
    BackgroundTask running = task;
    if (running != null) {
      running.stop();
    }
    closeSignal.countDown();
    if (database.dialect() == SqlDialect.POSTGRESQL) {
      // wakes the thread if it waits for a notification
      disconnect();
    }
    if (running != null) {
      running.close();
    }
    disconnect();
  }
}
