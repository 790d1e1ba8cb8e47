package io.weir.rules.database;

import io.weir.rule.Rule;
import io.weir.rules.Rules;
import io.weir.rules.RulesListener;
import io.weir.store.Clock;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;

/** Nodes on one database, which are closed after the test. */
abstract class DatabaseTest {
  /** How long to wait for what must come, where nobody was promised when. */
  static final Duration LONG = Duration.ofSeconds(30);

  private static final Duration PROMISED = Duration.ofSeconds(2);

  private final List<DatabaseRules> open = new ArrayList<>();

  /** A database nobody has used yet, the same one throughout a test. */
  abstract String url();

  /** How often a node looks that is to hear of changes as the others do. */
  abstract Duration every();

  /**
   * How soon another node is to see a change: as promised, but a busy machine may take as long
   * again as it takes to start some.
   */
  final Duration reach() {
    return PROMISED.plus(Took.by(() -> DatabaseRules.open(url()).close()).multipliedBy(4));
  }

  /** A node that hears of changes. */
  final DatabaseRules hearingNode() {
    return node(every());
  }

  final DatabaseRules node(RulesListener... listeners) {
    return opened(DatabaseRules.open(url(), listeners));
  }

  /** A node that looks often, and so finds an edit by hand early. */
  final DatabaseRules eagerNode(RulesListener... listeners) {
    return node(Duration.ofMillis(20), listeners);
  }

  private DatabaseRules node(Duration every, RulesListener... listeners) {
    var settings = new DatabaseRules.Settings(every, Clock.system(), Optional.empty());
    return opened(DatabaseRules.open(url(), settings, listeners));
  }

  final DatabaseRules opened(DatabaseRules node) {
    open.add(node);
    return node;
  }

  @AfterEach
  final void closeAll() {
    open.forEach(DatabaseRules::close);
  }

  static Rule rule(String id, int permits) {
    return Rules.readOne("test", "{id: " + id + ", per: [user], limit: " + permits + "/hour}");
  }

  final void byHand(String sql) {
    try (Connection connection = DriverManager.getConnection(url());
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }
}
