package io.weir.rules.database;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What holds of every database holds of H2. */
@Tag("slow")
class H2Test {
  @SuppressWarnings("NullAway.Init")
  @TempDir
  Path folder;

  @Nested
  class OfTraffic extends TrafficContract {
    @Override
    String url() {
      return h2();
    }
  }

  @Nested
  class OfRules extends RulesContract {
    @Override
    String url() {
      return h2();
    }
  }

  @Nested
  class OfBadRows extends BadRowsContract {
    @Override
    String url() {
      return h2();
    }
  }

  @Nested
  class OfHandEdits extends HandEditsContract {
    @Override
    String url() {
      return h2();
    }
  }

  @Nested
  class OfKeys extends KeysContract {
    @Override
    String url() {
      return h2();
    }
  }

  @Nested
  class OfCopies extends CopyContract {
    @Override
    String url() {
      return h2();
    }

    @Override
    void lose() throws IOException {
      Files.writeString(folder.resolve("rules.mv.db"), "no database");
    }
  }

  @Nested
  class OfSecrets extends SecretContract {
    @Override
    String url() {
      return h2();
    }

    @Override
    Path files() {
      return folder;
    }

    @Override
    void flush() {
      // done when the last connection was closed
    }
  }

  @Test
  void anotherDatabaseIsRefused() {
    assertThatThrownBy(() -> DatabaseRules.open("jdbc:mysql://host/db?password=secret"))
        .hasMessage(
            "'jdbc:mysql://host/db' is no database known here;"
                + " write jdbc:postgresql://host/database or jdbc:h2:file:./path");
  }

  private String h2() {
    return "jdbc:h2:file:" + folder.resolve("rules");
  }
}
