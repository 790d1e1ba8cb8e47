package io.weir.rules.database;

import io.weir.rule.RuleSet;
import io.weir.rules.RulesListener;
import io.weir.rules.RulesSizeLimit;
import io.weir.rules.text.ProblemCollector;
import io.weir.rules.text.SourcePosition;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/** The in-memory replica of rules and API keys on this node, kept up to date with the database. */
final class DatabaseReplica implements AutoCloseable {
  private static final Logger LOG = System.getLogger(DatabaseReplica.class.getName());

  /**
   * Every 60th poll reads everything, so that changes that bypassed the triggers are found, too.
   */
  private static final int FULL_READ_POLLS = 60;

  /** While the database is not writable, every third poll probes whether it is again. */
  private static final int PROBE_POLLS = 3;

  private static final long NEVER = Long.MIN_VALUE;

  private final Database database;
  private final DatabaseRules.DatabaseRulesSettings settings;
  private final List<RulesListener> listeners;
  private final LastGoodRules lastGood;
  private final RuleCache rules;
  private final ApiKeyCache apiKeys = new ApiKeyCache();
  private final ChangePoller poller;
  private final Optional<RuleBackupWriter> backupWriter;
  private int pollCount;
  private volatile long upToDateAtMicros = NEVER;

  private DatabaseReplica(
      Database database,
      DatabaseRules.DatabaseRulesSettings settings,
      List<RulesListener> listeners) {
    this.database = database;
    this.settings = settings;
    this.listeners = listeners;
    backupWriter = settings.backup().map(file -> new RuleBackupWriter(file, settings.clock()));
    lastGood = new LastGoodRules(settings.backup());
    rules = new RuleCache(lastGood, settings.maxBytes());
    poller = new ChangePoller(database, settings.pollInterval(), settings.clock(), this::onPoll);
  }

  static DatabaseReplica start(
      Database database,
      DatabaseRules.DatabaseRulesSettings settings,
      List<RulesListener> listeners) {
    DatabaseReplica node = new DatabaseReplica(database, settings, listeners);
    try {
      node.pollFirst();
      return node;
    } catch (RuntimeException e) {
      node.poller.close();
      throw e;
    }
  }

  private void pollFirst() {
    try {
      poller.pollFirst();
    } catch (SQLException e) {
      restoreBackup(database.toException(e));
    }
    if (!lastGood.unrecoverable().isEmpty()) {
      throw new DatabaseException(
          "%s has invalid rules without a last good version; correct or delete them: %s"
              .formatted(database, String.join(" ", rules.rejected().values())));
    }
    poller.start();
  }

  private void restoreBackup(DatabaseException cause) {
    RuleBackup file = settings.backup().orElseThrow(() -> cause);
    try {
      RuleBackup.BackupContent content = file.read();
      rules.restore(content);
      apiKeys.restore(content.keys());
      upToDateAtMicros = content.writtenAtMicros();
      LOG.log(Level.WARNING, "{0}; using the backup at {1}", cause.getMessage(), file);
      reportRejected(Set.of(), "skipped invalid rules of the backup");
    } catch (IOException e) {
      throw new DatabaseException(
          cause.getMessage() + "; and " + e.getMessage() + "; start the database first", cause);
    }
  }

  RuleCache rules() {
    return rules;
  }

  ApiKeyCache apiKeys() {
    return apiKeys;
  }

  /** Returns zero while the last successful poll is at most two intervals old. */
  Duration stale() {
    long micros = settings.clock().micros() - upToDateAtMicros;
    Duration since = Duration.of(Math.max(0, micros), ChronoUnit.MICROS);
    return since.compareTo(settings.pollInterval().multipliedBy(2)) <= 0 ? Duration.ZERO : since;
  }

  /** Changes rules or keys; the change is in force on this node when this returns. */
  <T> T change(String who, Database.TransactionWork<T> work) {
    try {
      T result = database.changeDurably(who, connection -> runWithinSizeLimit(connection, work));
      refresh();
      return result;
    } catch (StaleRevisionException e) {
      refresh(); // the change of another node may not be loaded here yet
      throw e;
    }
  }

  /**
   * Rejects a change that exceeds the size limit; a change to a smaller size is always accepted.
   */
  private <T> T runWithinSizeLimit(Connection connection, Database.TransactionWork<T> work)
      throws SQLException {
    long before = RuleTable.totalBytes(connection);
    T result = work.run(connection);
    long after = RuleTable.totalBytes(connection);
    if (after > before && after > settings.maxBytes()) {
      throw new ProblemCollector("weir_rule")
          .fatal(
              SourcePosition.WHOLE_FILE,
              RulesSizeLimit.tooLargeMessage(after, settings.maxBytes()));
    }
    return result;
  }

  /** Reads the changes now; if the database is unavailable, the next poll does. */
  void refresh() {
    try {
      database.read(
          connection -> {
            refreshFrom(connection);
            return true;
          });
    } catch (DatabaseException e) {
      LOG.log(Level.DEBUG, "the change was not read back yet", e);
    }
  }

  private void onPoll(Connection connection) throws SQLException {
    refreshFrom(connection);
    // in the thread of the poller only, so that many changes at once cause few backups
    backupWriter.ifPresent(keeper -> keeper.writeIfDue(rules.rules(), apiKeys.keys()));
    if (pollCount % FULL_READ_POLLS == 0) {
      compactIfGrown(connection);
    }
    if (!database.writeFailure().isEmpty() && pollCount % PROBE_POLLS == 0) {
      database.probeWrites();
    }
  }

  /** The poller opens a new connection when it finds this one closed. */
  private void compactIfGrown(Connection connection) throws SQLException {
    connection.rollback();
    if (database.compactIfGrown(connection)) {
      LOG.log(Level.INFO, "{0} was compacted because it had grown", database);
    }
  }

  private synchronized void refreshFrom(Connection connection) throws SQLException {
    RuleSet before = rules.rules();
    Collection<String> refusedBefore = rules.rejected().values();
    boolean whole = pollCount++ % FULL_READ_POLLS == 0;
    rules.refresh(connection, ChangeFeed.RULES.position(connection), whole);
    boolean newKeys = apiKeys.refresh(connection, ChangeFeed.KEYS.position(connection), whole);
    RuleSet now = rules.rules();
    if (rules.rejected().isEmpty() || upToDateAtMicros == NEVER) {
      upToDateAtMicros = settings.clock().micros();
    }
    if (newKeys || now != before) {
      backupWriter.ifPresent(RuleBackupWriter::markChanged);
    }
    if (now != before) {
      LOG.log(
          Level.INFO, "{0}: {1} rules, revision {2}", database, now.rules().size(), now.revision());
      notifyListeners(listener -> listener.changed(now));
    }
    reportRejected(refusedBefore, "rejected, the last good versions stay in force");
  }

  /** Reports each problem once, however often it is read. */
  private void reportRejected(Collection<String> reported, String summary) {
    Set<String> problems = new TreeSet<>(rules.rejected().values());
    problems.removeAll(reported);
    if (!problems.isEmpty()) {
      String reason = String.join("\n", problems);
      LOG.log(Level.WARNING, "{0}:\n{1}", summary, reason);
      notifyListeners(listener -> listener.rejected(reason));
    }
  }

  private void notifyListeners(Consumer<RulesListener> call) {
    for (RulesListener listener : listeners) {
      try {
        call.accept(listener);
      } catch (RuntimeException e) {
        LOG.log(Level.WARNING, "a listener of " + database + " failed", e);
      }
    }
  }

  @Override
  public void close() {
    poller.close();
    backupWriter.ifPresent(keeper -> keeper.writeIfChanged(rules.rules(), apiKeys.keys()));
  }
}
