package io.weir.rules.database;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class H2RulesTest extends RulesContract {
  @SuppressWarnings("NullAway.Init")
  @TempDir
  Path folder;

  @Override
  String url() {
    return "jdbc:h2:file:" + folder.resolve("rules");
  }

  @Override
  Duration reach() {
    return SOON;
  }

  @Test
  void anotherDatabaseIsRefused() {
    assertThatThrownBy(() -> DatabaseRules.open("jdbc:mysql://host/db?password=secret"))
        .hasMessage(
            "'jdbc:mysql://host/db' is no database known here;"
                + " write jdbc:postgresql://host/database or jdbc:h2:file:./path");
  }
}
