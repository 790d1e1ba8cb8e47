package io.weir.rules.database;

import io.weir.testkit.postgres.PostgresProcess;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

/** What holds of every database holds of PostgreSQL, which tells of a change at once. */
class PostgresTest {
  private static final Duration REACH = Duration.ofMillis(500);

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
  class OfRules extends RulesContract {
    private final String url = postgres.newDatabase();

    @Override
    String url() {
      return url;
    }

    @Override
    Duration reach() {
      return REACH;
    }
  }

  @Nested
  class OfKeys extends KeysContract {
    private final String url = postgres.newDatabase();

    @Override
    String url() {
      return url;
    }

    @Override
    Duration reach() {
      return REACH;
    }
  }
}
