package io.weir.rules.database;

import io.weir.testkit.Soon;
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

/** What holds of every database holds of PostgreSQL, which tells of a change at once. */
@Tag("slow")
class PostgresTest {
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
  class OfTraffic extends TrafficContract {
    private final String url = postgres.newDatabase();

    @Override
    String url() {
      return url;
    }
  }

  @Nested
  class OfRules extends RulesContract {
    private final String url = postgres.newDatabase();

    @Override
    String url() {
      return url;
    }
  }

  /** Told by the database: their own looks would come far too late. */
  @Nested
  class OfTelling extends DatabaseTest {
    private final String url = postgres.newDatabase();

    @Override
    String url() {
      return url;
    }

    @Test
    void changesAndEditsAndKeysAreTold() {
      DatabaseRules here = node(Duration.ofMinutes(1));
      DatabaseRules there = node(Duration.ofMinutes(1));
      here.put(rule("api", 1), "ann", 0);
      Soon.until(SOON, "it is told", () -> there.revision("api") > 0);
      byHand("DELETE FROM weir_rule");
      Soon.until(SOON, "it is told", () -> there.current().rules().isEmpty());
      NewKey key = here.keys().create("acme", "pro", "ann");
      Soon.until(SOON, "it is told", () -> there.keys().verify(key.secret()).isPresent());
      here.keys().revoke(key.id());
      Soon.until(SOON, "it is told", () -> there.keys().verify(key.secret()).isEmpty());
    }
  }

  @Nested
  class OfBadRows extends BadRowsContract {
    private final String url = postgres.newDatabase();

    @Override
    String url() {
      return url;
    }
  }

  @Nested
  class OfHandEdits extends HandEditsContract {
    private final String url = postgres.newDatabase();

    @Override
    String url() {
      return url;
    }
  }

  @Nested
  class OfReloads extends ReloadContract {
    private final String url = postgres.newDatabase();

    @Override
    String url() {
      return url;
    }
  }

  @Nested
  class OfCounters extends CountersContract {
    private final String url = postgres.newDatabase();

    @Override
    String url() {
      return url;
    }
  }

  @Nested
  class OfKeys extends KeysContract {
    private final String url = postgres.newDatabase();

    @Override
    String url() {
      return url;
    }
  }

  @Nested
  class OfCopies extends CopyContract {
    private final String url = postgres.newDatabase();

    @Override
    String url() {
      return url;
    }

    @Override
    void lose() throws SQLException {
      String name = url.replaceAll(".*/|[?].*", "");
      try (Connection other = DriverManager.getConnection(postgres.newDatabase())) {
        other.createStatement().execute("DROP DATABASE " + name + " WITH (FORCE)");
      }
    }
  }

  @Nested
  class OfTellingOnce extends ToldOnceContract {
    private final String url = postgres.newDatabase();

    @Override
    String url() {
      return url;
    }
  }

  @Nested
  class OfPromptness extends PromptContract {
    private final String url = postgres.newDatabase();

    @Override
    String url() {
      return url;
    }
  }

  @Nested
  class OfSecrets extends SecretContract {
    private final String url = postgres.newDatabase();

    @Override
    String url() {
      return url;
    }

    @Override
    Path files() {
      return postgres.folder();
    }

    @Override
    void flush() {
      byHand("CHECKPOINT");
    }
  }
}
