package io.weir.rules.database;

import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rule.RuleSource;
import io.weir.rules.Rules;
import io.weir.rules.RulesListener;
import io.weir.rules.RulesSizeLimit;
import io.weir.store.Clock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The rules of a database, followed as they change, and changed here with a history.
 *
 * <p>A change is in force on this node when the call returns, and on every other node within two
 * seconds: PostgreSQL tells them at once, and all look every second. Of a bad row the last good
 * version serves, and a database that is away changes nothing; {@link #staleness} grows until all
 * is well again. A rule that a change leaves as it was stays the same object.
 *
 * <p>Safe for any number of threads; {@link #current} is a mere read.
 */
public final class DatabaseRules implements RuleSource, AutoCloseable {
  private final Database database;
  private final DatabaseReplica replica;
  private final ApiKeys apiKeys;
  private final TrafficTable trafficTable;
  private final NodeRegistry nodeRegistry;

  private DatabaseRules(Database database, DatabaseReplica node) {
    this.database = database;
    this.replica = node;
    apiKeys = new ApiKeys(database, node);
    trafficTable = new TrafficTable(database);
    nodeRegistry = new NodeRegistry(database);
  }

  /**
   * The rules of {@code jdbc:postgresql://…} (14 or newer) or {@code jdbc:h2:…}.
   *
   * @throws DatabaseException if the database is away
   */
  public static DatabaseRules open(String url, RulesListener... listeners) {
    return open(url, DatabaseRulesSettings.DEFAULT, listeners);
  }

  /**
   * As {@link #open(String, RulesListener)}, with a copy of the last good rules and keys in a file,
   * from which they serve if the database is away at the start.
   *
   * @throws DatabaseException if the database is away and there is no good copy
   */
  public static DatabaseRules open(String url, Path copy, RulesListener... listeners) {
    return open(url, DatabaseRulesSettings.DEFAULT.with(copy), listeners);
  }

  /**
   * As {@link #open(String, Path, RulesListener)}, with another bound than that of {@link
   * RulesSizeLimit}.
   *
   * @param maxBytes more bytes of rules are refused before they are read
   */
  public static DatabaseRules open(
      String url, Path copy, long maxBytes, RulesListener... listeners) {
    return open(url, DatabaseRulesSettings.DEFAULT.with(copy).with(maxBytes), listeners);
  }

  static DatabaseRules open(
      String url, DatabaseRulesSettings settings, RulesListener... listeners) {
    Database database = new Database(url);
    try {
      return new DatabaseRules(
          database, DatabaseReplica.start(database, settings, List.of(listeners)));
    } catch (RuntimeException e) {
      database.close();
      throw e;
    }
  }

  /**
   * How a database is followed.
   *
   * @param pollInterval how often to look where nothing is told
   * @param backup where to keep the last good rules; empty for a start that fails without database
   * @param maxBytes how many bytes of rules are read at once
   */
  record DatabaseRulesSettings(
      Duration pollInterval, Clock clock, Optional<RuleBackup> backup, long maxBytes) {
    static final DatabaseRulesSettings DEFAULT =
        new DatabaseRulesSettings(Duration.ofSeconds(1), Clock.system(), Optional.empty());

    DatabaseRulesSettings(Duration every, Clock clock, Optional<RuleBackup> copy) {
      this(every, clock, copy, RulesSizeLimit.defaultMaxDatabaseBytes());
    }

    DatabaseRulesSettings with(Path file) {
      return new DatabaseRulesSettings(
          pollInterval, clock, Optional.of(new RuleBackup(file)), maxBytes);
    }

    DatabaseRulesSettings with(long bytes) {
      return new DatabaseRulesSettings(pollInterval, clock, backup, bytes);
    }
  }

  @Override
  public RuleSet current() {
    return replica.rules().rules();
  }

  /**
   * The revision of one rule's last change, as this node knows it; 0 if there is no such rule.
   *
   * <p>It is never newer than the rule in {@link #current}: whoever asks for it first, and then for
   * the rule, changes what they have seen or is refused.
   */
  public long revision(String id) {
    return replica.rules().revision(id);
  }

  /**
   * What is wrong with rules that were made bad in the database itself, by id; until they are put
   * right their last good versions serve.
   */
  public Map<String, String> rejected() {
    return replica.rules().rejected();
  }

  /** The API keys of the same database. */
  public ApiKeys keys() {
    return apiKeys;
  }

  /** What rules said, of all nodes of the same database. */
  public TrafficTable traffic() {
    return trafficTable;
  }

  /** The nodes of the same database. */
  public NodeRegistry nodes() {
    return nodeRegistry;
  }

  /** For how long this node has not been in step with the database; zero while it is. */
  @Override
  public Duration staleness() {
    return replica.stale();
  }

  /** Why the last change could not be written; empty while changes can be written. */
  @Override
  public String writeFailure() {
    return database.writeFailure();
  }

  /**
   * Makes or replaces a rule; a new one goes to the end.
   *
   * @param expectedRevision the {@link #revision(String)} this is a change of; 0 for a new rule
   * @return the rule's revision now
   * @throws StaleRevisionException if the rule was changed since
   * @throws DatabaseException if the database is away
   */
  public long put(Rule rule, String who, long expectedRevision) {
    String body = Rules.toJson(rule);
    return replica.change(
        requireName(who), c -> RuleTable.put(c, rule.id(), body, expectedRevision));
  }

  /**
   * Deletes a rule.
   *
   * @return the revision of the rules now
   * @throws StaleRevisionException if the rule was changed since, or is gone
   * @throws DatabaseException if the database is away
   */
  public long delete(String id, String who, long expectedRevision) {
    return replica.change(requireName(who), c -> RuleTable.delete(c, id, expectedRevision));
  }

  /**
   * Makes these all the rules there are, in this order, in one step: those not among them are
   * deleted, those that say the same are left alone.
   *
   * @param expectedRevision that of the {@linkplain #current rules} this is a change of
   * @return the revision of the rules now
   * @throws StaleRevisionException if any rule was changed since
   * @throws DatabaseException if the database is away
   */
  public long replace(Collection<Rule> rules, String who, long expectedRevision) {
    Map<String, String> bodies = new LinkedHashMap<>();
    RuleSet.of(1, rules).rules().forEach(rule -> bodies.put(rule.id(), Rules.toJson(rule)));
    return replica.change(requireName(who), c -> RuleTable.replace(c, bodies, expectedRevision));
  }

  /** The changes of a rule, the last one first; of one that is deleted too. */
  public List<RuleChange> history(String id) {
    return database.read(
        c ->
            HistoryTable.entriesOf(c, id).stream().map(HistoryTable.HistoryEntry::change).toList());
  }

  /**
   * Makes a rule what it was before its last change; done twice, all is as at first.
   *
   * @return the revision of the rules now
   * @throws IllegalArgumentException if the rule has no history, or was bad before
   * @throws DatabaseException if the database is away
   */
  public long undo(String id, String who) {
    return replica.change(requireName(who), c -> RuleTable.undo(c, id, OptionalLong.empty()));
  }

  /**
   * As {@link #undo(String, String)}, if the last change is the one that is meant.
   *
   * @param revision that of the change to be taken back, as {@link RuleChange#revision} tells it
   * @throws StaleRevisionException if the rule was changed since
   */
  public long undo(String id, String who, long revision) {
    return replica.change(requireName(who), c -> RuleTable.undo(c, id, OptionalLong.of(revision)));
  }

  static String requireName(String who) {
    if (who.isBlank() || who.length() > 200) {
      throw new IllegalArgumentException(
          "who changes this is not said; write a name of 1 to 200 characters");
    }
    return who;
  }

  /** Stops following the database; the rules in force stay. */
  @Override
  public void close() {
    replica.close();
    database.close();
  }
}
