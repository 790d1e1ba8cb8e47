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
  static final Duration SOON = Duration.ofSeconds(2);

  private final List<DatabaseRules> open = new ArrayList<>();

  /** A database nobody has used yet, the same one throughout a test. */
  abstract String url();

  /** How soon another node is to see a change. */
  abstract Duration reach();

  final DatabaseRules node(RulesListener... listeners) {
    return opened(DatabaseRules.open(url(), listeners));
  }

  /** A node that looks often, and so finds an edit by hand early. */
  final DatabaseRules eagerNode(RulesListener... listeners) {
    var settings =
        new DatabaseRules.Settings(Duration.ofMillis(20), Clock.system(), Optional.empty());
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
