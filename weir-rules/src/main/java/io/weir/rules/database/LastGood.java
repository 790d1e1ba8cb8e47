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
final class LastGood {
  private static final Logger LOG = System.getLogger(LastGood.class.getName());

  private static final RuleSet NOTHING = RuleSet.of(0, List.of());

  private final Optional<Copy> copy;
  private final Set<String> lost = new TreeSet<>();

  /** Read once: whatever is copied later, this node knows already. */
  private @Nullable RuleSet copied;

  LastGood(Optional<Copy> copy) {
    this.copy = copy;
  }

  /** That version; empty if there never was one, or it is {@link #lost}. */
  Optional<Rule> of(Connection connection, String id) throws SQLException {
    for (Optional<String> version : versions(connection, id)) {
      if (version.isEmpty()) {
        return Optional.empty();
      }
      Optional<Rule> rule = read(id, version.get());
      if (rule.isPresent()) {
        return rule;
      }
    }
    Optional<Rule> copied = copied(id);
    if (copied.isEmpty()) {
      lost.add(id);
    }
    return copied;
  }

  /**
   * The rules of which neither history nor copy says that they were good, or that they never were.
   */
  Set<String> lost() {
    return lost;
  }

  /** What the history says the rule was, the latest first; empty where there was none. */
  private static List<Optional<String>> versions(Connection connection, String id)
      throws SQLException {
    List<Optional<String>> versions = new ArrayList<>();
    for (HistoryTable.Entry entry : HistoryTable.of(connection, id)) {
      if (versions.isEmpty()) {
        versions.add(entry.change().after());
      }
      versions.add(entry.change().before());
    }
    return versions;
  }

  private static Optional<Rule> read(String id, String body) {
    try {
      return Optional.of(Rules.readOne("weir_history " + id, body)).filter(r -> r.id().equals(id));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private Optional<Rule> copied(String id) {
    RuleSet known = copied;
    if (known == null) {
      known = copy.map(LastGood::rules).orElse(NOTHING);
      copied = known;
    }
    return Optional.ofNullable(known.rule(id));
  }

  private static RuleSet rules(Copy copy) {
    try {
      return copy.read().rules();
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "there is no copy to find a good rule in", e);
      return NOTHING;
    }
  }
}
