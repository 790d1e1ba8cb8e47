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
final class Follower implements AutoCloseable {
  private static final Logger LOG = System.getLogger(Follower.class.getName());

  /** How long a connection may be without an answer before the driver gives it up. */
  private static final Duration MAX_SILENCE = Duration.ofSeconds(5);

  private final Database database;
  private final Duration every;
  private final Look look;
  private final Clock clock;
  private volatile @Nullable BackgroundTask task;
  private final CountDownLatch closing = new CountDownLatch(1);
  private volatile @Nullable Connection connection;
  private volatile boolean closed;
  private boolean away;

  /** Reads what is new. */
  @FunctionalInterface
  interface Look {
    void at(Connection connection) throws SQLException;
  }

  Follower(Database database, Duration every, Clock clock, Look look) {
    this.database = database;
    this.every = every;
    this.clock = clock;
    this.look = look;
  }

  /** Looks for the first time, in the thread of the caller. */
  void lookFirst() throws SQLException {
    try {
      look();
    } catch (SQLException | RuntimeException e) {
      away = true;
      disconnect();
      throw e;
    }
  }

  void start() {
    task =
        BackgroundTask.named("rules-database", clock::micros)
            .expected(every.plus(MAX_SILENCE))
            .start(this::round);
  }

  private void round() throws InterruptedException {
    try {
      Connection open = connection;
      if (open == null || !database.dialect().await(open, every)) {
        pause();
      }
      if (!closed) {
        lookAgainIfClosed();
      }
      if (away) {
        LOG.log(Level.INFO, "{0} answers again", database);
      }
      away = false;
    } catch (SQLException | RuntimeException e) {
      lost(e);
    } catch (Error e) {
      disconnect(); // its transaction may see old rows only
      throw e;
    }
  }

  /** A failed write closes an embedded database, which the next connection opens again. */
  private void lookAgainIfClosed() throws SQLException {
    try {
      look();
    } catch (SQLException e) {
      if (!database.dialect().isClosed(e)) {
        throw e;
      }
      disconnect();
      look();
    }
  }

  /** Never interrupted: an interrupt in the middle of a look would break a database of files. */
  private void pause() throws InterruptedException {
    var unused = closing.await(every.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void look() throws SQLException {
    Connection open = connection;
    if (open == null) {
      open = database.listen();
      connection = open;
    }
    look.at(open);
    // ends the transaction, so that the next look sees what is new
    open.rollback();
  }

  private void lost(Exception e) {
    if (!closed && !away) {
      LOG.log(
          Level.WARNING,
          "{0} does not answer, the last good rules serve: {1}",
          database,
          DatabaseException.oneLine(String.valueOf(e.getMessage())));
    }
    away = true;
    disconnect();
  }

  private void disconnect() {
    Connection open = connection;
    connection = null;
    if (open != null) {
      try {
        database.dialect().drop(open);
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
    closing.countDown();
    if (database.dialect() == Dialect.POSTGRESQL) {
      // wakes the thread if it listens
      disconnect();
    }
    if (running != null) {
      running.close();
    }
    disconnect();
  }
}
