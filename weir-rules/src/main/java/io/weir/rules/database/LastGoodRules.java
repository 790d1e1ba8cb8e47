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
 * Finds the last good version of a rule whose row is bad: in the history, else in the copy on disk.
 *
 * <p>Used by one thread at a time.
 */
final class LastGoodRules {
  private static final Logger LOG = System.getLogger(LastGoodRules.class.getName());

  private static final RuleSet NO_RULES = RuleSet.of(0, List.of());

  private final Optional<RuleBackup> backup;
  private final Set<String> unrecoverable = new TreeSet<>();

  /** Read once: whatever is copied later, this node knows already. */
  private @Nullable RuleSet backupRules;

  LastGoodRules(Optional<RuleBackup> copy) {
    this.backup = copy;
  }

  /** That version; empty if there never was one, or it is {@link #unrecoverable}. */
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
    Optional<Rule> copied = findInBackup(id);
    if (copied.isEmpty()) {
      unrecoverable.add(id);
    }
    return copied;
  }

  /**
   * The rules of which neither history nor copy says that they were good, or that they never were.
   */
  Set<String> unrecoverable() {
    return unrecoverable;
  }

  /** What the history says the rule was, the latest first; empty where there was none. */
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
    RuleSet known = backupRules;
    if (known == null) {
      known = backup.map(LastGoodRules::readBackup).orElse(NO_RULES);
      backupRules = known;
    }
    return Optional.ofNullable(known.rule(id));
  }

  private static RuleSet readBackup(RuleBackup copy) {
    try {
      return copy.read().rules();
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "there is no copy to find a good rule in", e);
      return NO_RULES;
    }
  }
}
