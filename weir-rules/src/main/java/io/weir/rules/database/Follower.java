package io.weir.rules.database;

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
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final Database database;
  private final Duration every;
  private final Look look;
  private final Thread thread = new Thread(this::follow, "weir-rules-database");
  private final CountDownLatch closing = new CountDownLatch(1);
  private volatile @Nullable Connection connection;
  private volatile boolean closed;
  private boolean away;

  /** Reads what is new. */
  @FunctionalInterface
  interface Look {
    void at(Connection connection) throws SQLException;
  }

  Follower(Database database, Duration every, Look look) {
    this.database = database;
    this.every = every;
    this.look = look;
    thread.setDaemon(true);
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
    thread.start();
  }

  private void follow() {
    while (!closed) {
      try {
        Connection open = connection;
        if (open == null || !database.dialect().await(open, every)) {
          pause();
        }
        if (!closed) {
          look();
        }
        if (away) {
          LOG.log(Level.INFO, "{0} answers again", database);
        }
        away = false;
      } catch (InterruptedException e) {
        return;
      } catch (SQLException | RuntimeException e) {
        lost(e);
      }
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
    closing.countDown();
    if (database.dialect() == Dialect.POSTGRESQL) {
      // wakes the thread if it listens
      disconnect();
    }
    try {
      thread.join(PATIENCE.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    disconnect();
  }
}
