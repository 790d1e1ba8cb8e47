package io.weir.rules.database;

import io.weir.testkit.Await;
import io.weir.testkit.postgres.PostgresProcess;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The database contracts on PostgreSQL, which notifies nodes of changes at once. */
@Tag("slow")
class PostgresDatabaseTest {
  @SuppressWarnings("NullAway.Init")
  private static PostgresProcess postgres;

  @BeforeAll
  static void start() {
    postgres = PostgresProcess.start();
  }

  @AfterAll
  static void stop() {
    postgres.close();
  }

  @Nested
  class PostgresTrafficTable extends TrafficTableContract {
    private final String url = postgres.newDatabase();

    @Override
    String url() {
      return url;
    }
  }

  @Nested
  class PostgresDatabaseRules extends DatabaseRulesContract {
    private final String url = postgres.newDatabase();

    @Override
    String url() {
      return url;
    }
  }

  /** Changes arrive by notification: the poll interval is too long to detect them. */
  @Nested
  class PostgresNotifications extends DatabaseTestBase {
    private final String url = postgres.newDatabase();

    @Override
    String url() {
      return url;
    }

    @Test
    void changesEditsAndKeys_arriveByNotification() {
      DatabaseRules here = openNode(Duration.ofMinutes(1));
      DatabaseRules there = openNode(Duration.ofMinutes(1));
      here.put(rule("api", 1), "ann", 0);
      Await.until(MAX_DELAY, "the notification", () -> there.revision("api") > 0);
      executeSql("DELETE FROM weir_rule");
      Await.until(MAX_DELAY, "the notification", () -> there.current().rules().isEmpty());
      NewApiKey key = here.keys().create("acme", "pro", "ann");
      Await.until(
          MAX_DELAY, "the notification", () -> there.keys().verify(key.secret()).isPresent());
      here.keys().revoke(key.id());
      Await.until(MAX_DELAY, "the notification", () -> there.keys().verify(key.secret()).isEmpty());
    }
  }

  @Nested
  class PostgresBadRows extends BadRowsContract {
    private final String url = postgres.newDatabase();

    @Override
    String url() {
      return url;
    }
  }

  @Nested
  class PostgresManualEdits extends ManualEditsContract {
    private final String url = postgres.newDatabase();

    @Override
    String url() {
      return url;
    }
  }

  @Nested
  class PostgresLargeReloads extends LargeReloadContract {
    private final String url = postgres.newDatabase();

    @Override
    String url() {
      return url;
    }
  }

  @Nested
  class PostgresRuleChangeCounters extends RuleChangeCountersContract {
    private final String url = postgres.newDatabase();

    @Override
    String url() {
      return url;
    }
  }

  @Nested
  class PostgresApiKeys extends ApiKeysContract {
    private final String url = postgres.newDatabase();

    @Override
    String url() {
      return url;
    }
  }

  @Nested
  class PostgresRuleBackups extends RuleBackupContract {
    private final String url = postgres.newDatabase();

    @Override
    String url() {
      return url;
    }

    @Override
    void makeUnavailable() throws SQLException {
      String name = url.replaceAll(".*/|[?].*", "");
      try (Connection other = DriverManager.getConnection(postgres.newDatabase())) {
        other.createStatement().execute("DROP DATABASE " + name + " WITH (FORCE)");
      }
    }
  }

  @Nested
  class PostgresReportedOnce extends ReportedOnceContract {
    private final String url = postgres.newDatabase();

    @Override
    String url() {
      return url;
    }
  }

  @Nested
  class PostgresPropagationDelay extends PropagationDelayContract {
    private final String url = postgres.newDatabase();

    @Override
    String url() {
      return url;
    }
  }

  @Nested
  class PostgresSecretLeaks extends SecretLeakContract {
    private final String url = postgres.newDatabase();

    @Override
    String url() {
      return url;
    }

    @Override
    Path databaseFolder() {
      return postgres.folder();
    }

    @Override
    void flushDatabase() {
      executeSql("CHECKPOINT");
    }
  }
}
