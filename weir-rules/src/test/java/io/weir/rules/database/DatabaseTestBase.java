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

/** A base class for tests with nodes on one database, which are closed after the test. */
abstract class DatabaseTestBase {
  /** Five times the promised delay, to allow for busy machines. */
  static final Duration MAX_DELAY = Duration.ofSeconds(10);

  private final List<DatabaseRules> openNodes = new ArrayList<>();

  /** Returns the URL of a new database, the same one throughout a test. */
  abstract String url();

  final DatabaseRules openNode(RulesListener... listeners) {
    return closeAfterTest(DatabaseRules.open(url(), listeners));
  }

  /** Opens a node with a given poll interval. */
  final DatabaseRules openNode(Duration every, RulesListener... listeners) {
    var settings = new DatabaseRules.DatabaseRulesSettings(every, Clock.system(), Optional.empty());
    return closeAfterTest(DatabaseRules.open(url(), settings, listeners));
  }

  final DatabaseRules openFastPollingNode(RulesListener... listeners) {
    return openNode(Duration.ofMillis(20), listeners);
  }

  final DatabaseRules closeAfterTest(DatabaseRules node) {
    openNodes.add(node);
    return node;
  }

  @AfterEach
  final void closeAll() {
    openNodes.forEach(DatabaseRules::close);
  }

  static Rule rule(String id, int permits) {
    return Rules.readOne("test", "{id: " + id + ", per: [user], limit: " + permits + "/hour}");
  }

  /** Executes statements directly on the database, like a manual edit, in one transaction. */
  final void executeSql(String... statements) {
    try (Connection connection = DriverManager.getConnection(url());
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(statements.length == 1);
      for (String sql : statements) {
        statement.execute(sql);
      }
      if (statements.length > 1) {
        connection.commit();
      }
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }
}
