package io.weir.rules.database;

import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

class PostgresRulesTest extends RulesContract {
  @SuppressWarnings("NullAway.Init")
  private static PostgresProcess postgres;

  private String url = "";

  @BeforeAll
  static void start() {
    postgres = PostgresProcess.start();
  }

  @AfterAll
  static void stop() {
    postgres.close();
  }

  @BeforeEach
  void create() {
    url = postgres.newDatabase();
  }

  @Override
  String url() {
    return url;
  }

  @Override
  Duration reach() {
    return Duration.ofMillis(500);
  }
}
