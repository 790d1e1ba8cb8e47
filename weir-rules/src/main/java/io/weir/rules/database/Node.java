package io.weir.rules.database;

import io.weir.rule.RuleSet;
import io.weir.rules.RulesListener;
import io.weir.rules.RulesSize;
import io.weir.rules.text.Place;
import io.weir.rules.text.Problems;
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
final class Node implements AutoCloseable {
  private static final Logger LOG = System.getLogger(Node.class.getName());

  /** One look in so many reads everything, so that what no trigger saw is found too. */
  private static final int WHOLE = 60;

  /** While changes cannot be written, one look in so many tries whether they can. */
  private static final int PROBE_LOOKS = 3;

  private static final long NEVER = Long.MIN_VALUE;

  private final Database database;
  private final DatabaseRules.Settings settings;
  private final List<RulesListener> listeners;
  private final LastGood lastGood;
  private final RuleCache rules;
  private final KeyCache keys = new KeyCache();
  private final Follower follower;
  private final Optional<CopyKeeper> copy;
  private int looks;
  private volatile long inStepAt = NEVER;

  private Node(Database database, DatabaseRules.Settings settings, List<RulesListener> listeners) {
    this.database = database;
    this.settings = settings;
    this.listeners = listeners;
    copy = settings.copy().map(file -> new CopyKeeper(file, settings.clock()));
    lastGood = new LastGood(settings.copy());
    rules = new RuleCache(lastGood, settings.maxBytes());
    follower = new Follower(database, settings.every(), settings.clock(), this::follow);
  }

  static Node start(
      Database database, DatabaseRules.Settings settings, List<RulesListener> listeners) {
    Node node = new Node(database, settings, listeners);
    try {
      node.first();
      return node;
    } catch (RuntimeException e) {
      node.follower.close();
      throw e;
    }
  }

  private void first() {
    try {
      follower.lookFirst();
    } catch (SQLException e) {
      restore(database.failure(e));
    }
    if (!lastGood.lost().isEmpty()) {
      throw new DatabaseException(
          "%s holds rules that are wrong, and when they were right is not known; write them anew or delete them: %s"
              .formatted(database, String.join(" ", rules.refused().values())));
    }
    follower.start();
  }

  private void restore(DatabaseException why) {
    Copy kept = settings.copy().orElseThrow(() -> why);
    try {
      Copy.Content content = kept.read();
      rules.restore(content);
      keys.restore(content.keys());
      inStepAt = content.micros();
      LOG.log(Level.WARNING, "{0}; the copy at {1} serves", why.getMessage(), kept);
      tellRefused(Set.of(), "left out, for the copy is all there is");
    } catch (IOException e) {
      throw new DatabaseException(
          why.getMessage() + "; and " + e.getMessage() + "; start the database first", why);
    }
  }

  RuleCache rules() {
    return rules;
  }

  KeyCache keys() {
    return keys;
  }

  /** Within two looks a node counts as in step. */
  Duration stale() {
    long micros = settings.clock().micros() - inStepAt;
    Duration since = Duration.of(Math.max(0, micros), ChronoUnit.MICROS);
    return since.compareTo(settings.every().multipliedBy(2)) <= 0 ? Duration.ZERO : since;
  }

  /** Changes rules or keys, and has the change in force here before it returns. */
  <T> T change(String who, Database.Work<T> work) {
    try {
      T result = database.changeDurably(who, connection -> bounded(connection, work));
      refresh();
      return result;
    } catch (StaleRevisionException e) {
      refresh(); // what somebody else changed may be news here
      throw e;
    }
  }

  /** Refuses a change that makes the rules more than any node reads; fewer are always taken. */
  private <T> T bounded(Connection connection, Database.Work<T> work) throws SQLException {
    long before = RuleTable.size(connection);
    T result = work.in(connection);
    long after = RuleTable.size(connection);
    if (after > before && after > settings.maxBytes()) {
      throw new Problems("weir_rule")
          .fatal(Place.FILE, RulesSize.tooLarge(after, settings.maxBytes()));
    }
    return result;
  }

  /** Looks now; if the database went away just then, the follower will. */
  void refresh() {
    try {
      database.read(
          connection -> {
            look(connection);
            return true;
          });
    } catch (DatabaseException e) {
      LOG.log(Level.DEBUG, "changed, but not read back yet", e);
    }
  }

  private void follow(Connection connection) throws SQLException {
    look(connection);
    // in the follower's thread only, so that many changes at once make few copies
    copy.ifPresent(keeper -> keeper.keep(rules.rules(), keys.keys()));
    if (looks % WHOLE == 0) {
      compactIfGrown(connection);
    }
    if (!database.writeFailure().isEmpty() && looks % PROBE_LOOKS == 0) {
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

  private synchronized void look(Connection connection) throws SQLException {
    RuleSet before = rules.rules();
    Collection<String> refusedBefore = rules.refused().values();
    boolean whole = looks++ % WHOLE == 0;
    rules.look(connection, Kind.RULES.moved(connection), whole);
    boolean newKeys = keys.look(connection, Kind.KEYS.moved(connection), whole);
    RuleSet now = rules.rules();
    if (rules.refused().isEmpty() || inStepAt == NEVER) {
      inStepAt = settings.clock().micros();
    }
    if (newKeys || now != before) {
      copy.ifPresent(CopyKeeper::changed);
    }
    if (now != before) {
      LOG.log(
          Level.INFO, "{0}: {1} rules, revision {2}", database, now.rules().size(), now.revision());
      tell(listener -> listener.changed(now));
    }
    tellRefused(refusedBefore, "refused, what was good before serves");
  }

  /** Tells what is wrong once, however often it is read. */
  private void tellRefused(Collection<String> told, String what) {
    Set<String> news = new TreeSet<>(rules.refused().values());
    news.removeAll(told);
    if (!news.isEmpty()) {
      String reason = String.join("\n", news);
      LOG.log(Level.WARNING, "{0}:\n{1}", what, reason);
      tell(listener -> listener.rejected(reason));
    }
  }

  private void tell(Consumer<RulesListener> news) {
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
    follower.close();
    copy.ifPresent(keeper -> keeper.keepNow(rules.rules(), keys.keys()));
  }
}
