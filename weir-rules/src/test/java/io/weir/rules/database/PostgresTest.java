package io.weir.rules.database;

import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

/** What holds of every database holds of PostgreSQL, which tells of a change at once. */
class PostgresTest {
  /** A node that looks so seldom sees only what it is told of. */
  private static final Duration NEVER = Duration.ofDays(1);

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
    Duration every() {
      return NEVER;
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
    Duration every() {
      return NEVER;
    }
  }
}
