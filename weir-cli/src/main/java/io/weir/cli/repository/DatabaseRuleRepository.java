package io.weir.cli.repository;

import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rules.database.DatabaseException;
import io.weir.rules.database.DatabaseRules;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A rule repository in a database. */
final class DatabaseRuleRepository implements RuleRepository {
  private static final String H2_PREFIX = "jdbc:h2:";
  private static final int H2_LOCKED_ERROR = 90020;
  private static final int H2_MISSING_ERROR = 90146;

  private final String name;
  private final DatabaseRules rules;

  private DatabaseRuleRepository(String name, DatabaseRules rules) {
    this.name = name;
    this.rules = rules;
  }

  /**
   * Opens a database.
   *
   * @param create whether a missing database file is created
   */
  static DatabaseRuleRepository open(String url, boolean create) {
    String name = url.replaceAll("[?;].*", "").replaceAll("//[^/@]*@", "//");
    boolean isFile = url.startsWith(H2_PREFIX) && !url.startsWith(H2_PREFIX + "mem:");
    boolean ifExistsSet = url.toUpperCase(Locale.ROOT).contains(";IFEXISTS=");
    try {
      return new DatabaseRuleRepository(
          name,
          DatabaseRules.open(isFile && !create && !ifExistsSet ? url + ";IFEXISTS=TRUE" : url));
    } catch (DatabaseException e) {
      int code = e.getCause() instanceof SQLException cause ? cause.getErrorCode() : 0;
      if (isFile && code == H2_MISSING_ERROR) {
        throw new RuleRepositoryException(
            RuleRepositoryException.RepositoryFailure.NOT_FOUND,
            name + " does not exist yet; weir rules apply FILE or weir serve creates it",
            e);
      }
      if (isFile && code == H2_LOCKED_ERROR) {
        throw new RuleRepositoryException(
            RuleRepositoryException.RepositoryFailure.LOCKED,
            name
                + " is locked by another process, such as a running server; use that server:"
                + " write --server http://127.0.0.1:9090 --token TOKEN",
            e);
      }
      throw e;
    }
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public StoredRules content() {
    RuleSet current = rules.current();
    List<StoredRule> stored = new ArrayList<>();
    for (Rule rule : current.rules()) {
      stored.add(new StoredRule(rule, rules.revision(rule.id())));
    }
    return new StoredRules(current.revision(), stored, rules.rejected());
  }

  @Override
  public long replace(List<Rule> newRules, String actor, long expectedRevision) {
    return rules.replace(newRules, actor, expectedRevision);
  }

  @Override
  public void close() {
    rules.close();
  }
}
