package io.weir.rules.database;

import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rules.Rules;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Finds the last good version of a rule whose row is invalid: in the history, else in the backup
 * file.
 *
 * <p>Not thread-safe.
 */
final class LastGoodRules {
  private static final Logger LOG = System.getLogger(LastGoodRules.class.getName());

  private static final RuleSet NO_RULES = RuleSet.of(0, List.of());

  private final Optional<RuleBackup> backup;
  private final Set<String> unrecoverable = new TreeSet<>();

  /** Read once: later backups contain only rules that this node has loaded. */
  private @Nullable RuleSet backupRules;

  LastGoodRules(Optional<RuleBackup> backup) {
    this.backup = backup;
  }

  /**
   * Returns that version; empty if the rule never was valid, or its version is {@link
   * #unrecoverable}.
   */
  Optional<Rule> find(Connection connection, String id) throws SQLException {
    for (Optional<String> version : versions(connection, id)) {
      if (version.isEmpty()) {
        return Optional.empty();
      }
      Optional<Rule> rule = parse(id, version.get());
      if (rule.isPresent()) {
        return rule;
      }
    }
    Optional<Rule> restored = findInBackup(id);
    if (restored.isEmpty()) {
      unrecoverable.add(id);
    }
    return restored;
  }

  /**
   * Returns the ids of rules for which neither history nor backup has a good version, or shows that
   * there never was one.
   */
  Set<String> unrecoverable() {
    return unrecoverable;
  }

  /**
   * Returns the bodies of a rule in the history, the latest first; empty where it did not exist.
   */
  private static List<Optional<String>> versions(Connection connection, String id)
      throws SQLException {
    List<Optional<String>> versions = new ArrayList<>();
    for (HistoryTable.HistoryEntry entry : HistoryTable.entriesOf(connection, id)) {
      if (versions.isEmpty()) {
        versions.add(entry.change().after());
      }
      versions.add(entry.change().before());
    }
    return versions;
  }

  private static Optional<Rule> parse(String id, String body) {
    try {
      return Optional.of(Rules.readOne("weir_history " + id, body)).filter(r -> r.id().equals(id));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private Optional<Rule> findInBackup(String id) {
    RuleSet rules = backupRules;
    if (rules == null) {
      rules = backup.map(LastGoodRules::readBackup).orElse(NO_RULES);
      backupRules = rules;
    }
    return Optional.ofNullable(rules.rule(id));
  }

  private static RuleSet readBackup(RuleBackup file) {
    try {
      return file.read().rules();
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "there is no backup with the last good rule", e);
      return NO_RULES;
    }
  }
}
