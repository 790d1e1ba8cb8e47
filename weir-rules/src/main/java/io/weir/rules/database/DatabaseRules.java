package io.weir.rules.database;

import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
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
 * A rule source that reads and changes rules in a database, with a history.
 *
 * <p>A change is in force on this node when the call returns, and on every other node within two
 * seconds: PostgreSQL notifies them at once, and all nodes poll every second. For an invalid row
 * the last good version stays in force, and while the database is unavailable the rules do not
 * change; {@link #staleness} grows until the problem is solved. A rule that did not change stays
 * the same object.
 *
 * <p>Thread-safe; {@link #current} is a single volatile read.
 */
public final class DatabaseRules implements EditableRules, AutoCloseable {
  private final Database database;
  private final DatabaseReplica replica;
  private final ApiKeys apiKeys;
  private final TrafficTable trafficTable;
  private final NodeRegistry nodeRegistry;

  private DatabaseRules(Database database, DatabaseReplica replica) {
    this.database = database;
    this.replica = replica;
    apiKeys = new ApiKeys(database, replica);
    trafficTable = new TrafficTable(database);
    nodeRegistry = new NodeRegistry(database);
  }

  /**
   * Opens the rules of {@code jdbc:postgresql://…} (14 or newer) or {@code jdbc:h2:…}.
   *
   * @throws DatabaseException if the database is unavailable
   */
  public static DatabaseRules open(String url, RulesListener... listeners) {
    return open(url, DatabaseRulesSettings.DEFAULT, listeners);
  }

  /**
   * As {@link #open(String, RulesListener...)}, with a backup of the last good rules and keys in a
   * file, which is used if the database is unavailable at the start.
   *
   * @throws DatabaseException if the database is unavailable and there is no valid backup
   */
  public static DatabaseRules open(String url, Path backup, RulesListener... listeners) {
    return open(url, DatabaseRulesSettings.DEFAULT.with(backup), listeners);
  }

  /**
   * As {@link #open(String, Path, RulesListener...)}, with another limit than that of {@link
   * RulesSizeLimit}.
   *
   * @param maxBytes more bytes of rules are rejected before they are read
   */
  public static DatabaseRules open(
      String url, Path backup, long maxBytes, RulesListener... listeners) {
    return open(url, DatabaseRulesSettings.DEFAULT.with(backup).with(maxBytes), listeners);
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
   * Settings for reading rules from a database.
   *
   * @param pollInterval the interval of polls
   * @param backup the backup of the last good rules; empty for a start that fails without database
   * @param maxBytes the maximum size of all rules
   */
  record DatabaseRulesSettings(
      Duration pollInterval, Clock clock, Optional<RuleBackup> backup, long maxBytes) {
    static final DatabaseRulesSettings DEFAULT =
        new DatabaseRulesSettings(Duration.ofSeconds(1), Clock.system(), Optional.empty());

    DatabaseRulesSettings(Duration pollInterval, Clock clock, Optional<RuleBackup> backup) {
      this(pollInterval, clock, backup, RulesSizeLimit.defaultMaxDatabaseBytes());
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

  @Override
  public long revision(String id) {
    return replica.rules().revision(id);
  }

  @Override
  public Map<String, String> rejected() {
    return replica.rules().rejected();
  }

  @Override
  public ApiKeys keys() {
    return apiKeys;
  }

  @Override
  public TrafficTable traffic() {
    return trafficTable;
  }

  @Override
  public NodeRegistry nodes() {
    return nodeRegistry;
  }

  /** Returns for how long this node has not been up to date with the database; zero while it is. */
  @Override
  public Duration staleness() {
    return replica.stale();
  }

  /** Returns why the last change could not be written; empty while the database is writable. */
  @Override
  public String writeFailure() {
    return database.writeFailure();
  }

  @Override
  public long put(Rule rule, String who, long expectedRevision) {
    String body = Rules.toJson(rule);
    return replica.change(
        requireName(who), c -> RuleTable.put(c, rule.id(), body, expectedRevision));
  }

  @Override
  public long delete(String id, String who, long expectedRevision) {
    return replica.change(requireName(who), c -> RuleTable.delete(c, id, expectedRevision));
  }

  @Override
  public long replace(Collection<Rule> rules, String who, long expectedRevision) {
    Map<String, String> bodies = new LinkedHashMap<>();
    RuleSet.of(1, rules).rules().forEach(rule -> bodies.put(rule.id(), Rules.toJson(rule)));
    return replica.change(requireName(who), c -> RuleTable.replace(c, bodies, expectedRevision));
  }

  @Override
  public List<RuleChange> history(String id) {
    return database.read(
        c ->
            HistoryTable.entriesOf(c, id).stream().map(HistoryTable.HistoryEntry::change).toList());
  }

  @Override
  public long undo(String id, String who) {
    return replica.change(requireName(who), c -> RuleTable.undo(c, id, OptionalLong.empty()));
  }

  @Override
  public long undo(String id, String who, long revision) {
    return replica.change(requireName(who), c -> RuleTable.undo(c, id, OptionalLong.of(revision)));
  }

  static String requireName(String who) {
    if (who.isBlank() || who.length() > 200) {
      throw new IllegalArgumentException(
          "the author of a change must be a name of 1 to 200 characters, for example ann");
    }
    return who;
  }

  /** Stops polling the database; the rules in force stay. */
  @Override
  public void close() {
    replica.close();
    database.close();
  }
}
