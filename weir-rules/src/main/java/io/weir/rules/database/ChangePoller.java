package io.weir.rules.database;

import io.weir.background.BackgroundTask;
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
 * A thread that looks at the database when it is told of a change, and every so often anyway.
 *
 * <p>It has one connection, on which it listens and looks: one that broke unnoticed is found by the
 * next look, and made anew.
 */
final class ChangePoller implements AutoCloseable {
  private static final Logger LOG = System.getLogger(ChangePoller.class.getName());

  /** How long a connection may be without an answer before the driver gives it up. */
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

  /** Reads what is new. */
  @FunctionalInterface
  interface ChangePoll {
    void poll(Connection connection) throws SQLException;
  }

  ChangePoller(Database database, Duration every, Clock clock, ChangePoll look) {
    this.database = database;
    this.interval = every;
    this.clock = clock;
    this.changePoll = look;
  }

  /** Looks for the first time, in the thread of the caller. */
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
        LOG.log(Level.INFO, "{0} answers again", database);
      }
      unreachable = false;
    } catch (SQLException | RuntimeException e) {
      markUnreachable(e);
    } catch (Error e) {
      disconnect(); // its transaction may see old rows only
      throw e;
    }
  }

  /** A failed write closes an embedded database, which the next connection opens again. */
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

  /** Never interrupted: an interrupt in the middle of a look would break a database of files. */
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
    // ends the transaction, so that the next look sees what is new
    open.rollback();
  }

  private void markUnreachable(Exception e) {
    if (!closed && !unreachable) {
      LOG.log(
          Level.WARNING,
          "{0} does not answer, the last good rules serve: {1}",
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
        LOG.log(Level.DEBUG, "a connection that was lost does not close", e);
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
      // wakes the thread if it listens
      disconnect();
    }
    if (running != null) {
      running.close();
    }
    disconnect();
  }
}
