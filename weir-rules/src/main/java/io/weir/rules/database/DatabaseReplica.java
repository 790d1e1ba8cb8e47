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

/** What this node knows of the database, and how it keeps in step with it. */
final class DatabaseReplica implements AutoCloseable {
  private static final Logger LOG = System.getLogger(DatabaseReplica.class.getName());

  /** One look in so many reads everything, so that what no trigger saw is found too. */
  private static final int FULL_READ_POLLS = 60;

  /** While changes cannot be written, one look in so many tries whether they can. */
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
          "%s holds rules that are wrong, and when they were right is not known; write them anew or delete them: %s"
              .formatted(database, String.join(" ", rules.rejected().values())));
    }
    poller.start();
  }

  private void restoreBackup(DatabaseException why) {
    RuleBackup kept = settings.backup().orElseThrow(() -> why);
    try {
      RuleBackup.BackupContent content = kept.read();
      rules.restore(content);
      apiKeys.restore(content.keys());
      upToDateAtMicros = content.writtenAtMicros();
      LOG.log(Level.WARNING, "{0}; the copy at {1} serves", why.getMessage(), kept);
      reportRejected(Set.of(), "left out, for the copy is all there is");
    } catch (IOException e) {
      throw new DatabaseException(
          why.getMessage() + "; and " + e.getMessage() + "; start the database first", why);
    }
  }

  RuleCache rules() {
    return rules;
  }

  ApiKeyCache apiKeys() {
    return apiKeys;
  }

  /** Within two looks a node counts as in step. */
  Duration stale() {
    long micros = settings.clock().micros() - upToDateAtMicros;
    Duration since = Duration.of(Math.max(0, micros), ChronoUnit.MICROS);
    return since.compareTo(settings.pollInterval().multipliedBy(2)) <= 0 ? Duration.ZERO : since;
  }

  /** Changes rules or keys, and has the change in force here before it returns. */
  <T> T change(String who, Database.TransactionWork<T> work) {
    try {
      T result = database.changeDurably(who, connection -> runWithinSizeLimit(connection, work));
      refresh();
      return result;
    } catch (StaleRevisionException e) {
      refresh(); // what somebody else changed may be news here
      throw e;
    }
  }

  /** Refuses a change that makes the rules more than any node reads; fewer are always taken. */
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

  /** Looks now; if the database went away just then, the follower will. */
  void refresh() {
    try {
      database.read(
          connection -> {
            refreshFrom(connection);
            return true;
          });
    } catch (DatabaseException e) {
      LOG.log(Level.DEBUG, "changed, but not read back yet", e);
    }
  }

  private void onPoll(Connection connection) throws SQLException {
    refreshFrom(connection);
    // in the follower's thread only, so that many changes at once make few copies
    backupWriter.ifPresent(keeper -> keeper.writeIfDue(rules.rules(), apiKeys.keys()));
    if (pollCount % FULL_READ_POLLS == 0) {
      compactIfGrown(connection);
    }
    if (!database.writeFailure().isEmpty() && pollCount % PROBE_POLLS == 0) {
      database.probeWrites();
    }
  }

  /** The follower makes another connection when it finds this one closed. */
  private void compactIfGrown(Connection connection) throws SQLException {
    connection.rollback();
    if (database.compactIfGrown(connection)) {
      LOG.log(Level.INFO, "{0} had grown, it is compacted", database);
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
    reportRejected(refusedBefore, "refused, what was good before serves");
  }

  /** Tells what is wrong once, however often it is read. */
  private void reportRejected(Collection<String> told, String what) {
    Set<String> news = new TreeSet<>(rules.rejected().values());
    news.removeAll(told);
    if (!news.isEmpty()) {
      String reason = String.join("\n", news);
      LOG.log(Level.WARNING, "{0}:\n{1}", what, reason);
      notifyListeners(listener -> listener.rejected(reason));
    }
  }

  private void notifyListeners(Consumer<RulesListener> news) {
    for (RulesListener listener : listeners) {
      try {
        news.accept(listener);
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
