package io.weir.server.home;

import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rules.database.DatabaseException;
import io.weir.rules.database.DatabaseRules;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Rules in a database. */
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
   * @param make whether one that is a file is made where there is none
   */
  static DatabaseRuleRepository open(String url, boolean make) {
    String name = url.replaceAll("[?;].*", "").replaceAll("//[^/@]*@", "//");
    boolean file = url.startsWith(H2_PREFIX) && !url.startsWith(H2_PREFIX + "mem:");
    boolean said = url.toUpperCase(Locale.ROOT).contains(";IFEXISTS=");
    try {
      return new DatabaseRuleRepository(
          name, DatabaseRules.open(file && !make && !said ? url + ";IFEXISTS=TRUE" : url));
    } catch (DatabaseException e) {
      int code = e.getCause() instanceof SQLException cause ? cause.getErrorCode() : 0;
      if (file && code == H2_MISSING_ERROR) {
        throw new RuleRepositoryException(
            RuleRepositoryException.RepositoryFailure.NOT_FOUND,
            name + " does not exist yet; weir rules apply FILE or weir serve makes it",
            e);
      }
      if (file && code == H2_LOCKED_ERROR) {
        throw new RuleRepositoryException(
            RuleRepositoryException.RepositoryFailure.LOCKED,
            name
                + " is held by another process, such as a running server; ask that one:"
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
    RuleSet now = rules.current();
    List<StoredRule> kept = new ArrayList<>();
    for (Rule rule : now.rules()) {
      kept.add(new StoredRule(rule, rules.revision(rule.id())));
    }
    return new StoredRules(now.revision(), kept, rules.rejected());
  }

  @Override
  public long replace(List<Rule> all, String who, long expectedRevision) {
    return rules.replace(all, who, expectedRevision);
  }

  @Override
  public void close() {
    rules.close();
  }
}
