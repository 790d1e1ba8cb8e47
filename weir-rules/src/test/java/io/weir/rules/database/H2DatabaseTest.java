package io.weir.rules.database;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The database contracts on H2. */
@Tag("slow")
class H2DatabaseTest {
  @SuppressWarnings("NullAway.Init")
  @TempDir
  Path folder;

  @Nested
  class H2TrafficTable extends TrafficTableContract {
    @Override
    String url() {
      return h2Url();
    }
  }

  @Nested
  class H2DatabaseRules extends DatabaseRulesContract {
    @Override
    String url() {
      return h2Url();
    }
  }

  @Nested
  class H2BadRows extends BadRowsContract {
    @Override
    String url() {
      return h2Url();
    }
  }

  @Nested
  class H2ManualEdits extends ManualEditsContract {
    @Override
    String url() {
      return h2Url();
    }
  }

  @Nested
  class H2ApiKeys extends ApiKeysContract {
    @Override
    String url() {
      return h2Url();
    }
  }

  @Nested
  class H2RuleBackups extends RuleBackupContract {
    @Override
    String url() {
      return h2Url();
    }

    @Override
    void makeUnavailable() throws IOException {
      Files.writeString(folder.resolve("rules.mv.db"), "no database");
    }
  }

  @Nested
  class H2SecretLeaks extends SecretLeakContract {
    @Override
    String url() {
      return h2Url();
    }

    @Override
    Path databaseFolder() {
      return folder;
    }

    @Override
    void flushDatabase() {
      // H2 flushes when the last connection is closed
    }
  }

  @Test
  void unsupportedDatabase_isRejected() {
    assertThatThrownBy(() -> DatabaseRules.open("jdbc:mysql://host/db?password=secret"))
        .hasMessage(
            "the database must be PostgreSQL or H2 (was 'jdbc:mysql://host/db'),"
                + " for example jdbc:postgresql://host/database or jdbc:h2:file:./path");
  }

  private String h2Url() {
    return "jdbc:h2:file:" + folder.resolve("rules");
  }
}
