package io.weir.rules.database;

import java.nio.file.Path;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;

/** What nodes learn of changes in any database they learn of those in H2, where they only look. */
class H2NodesTest {
  @SuppressWarnings("NullAway.Init")
  @TempDir
  Path folder;

  @Nested
  class OfCounters extends CountersContract {
    @Override
    String url() {
      return h2();
    }
  }

  @Nested
  class OfTelling extends ToldOnceContract {
    @Override
    String url() {
      return h2();
    }
  }

  @Nested
  class OfPromptness extends PromptContract {
    @Override
    String url() {
      return h2();
    }
  }

  private String h2() {
    return "jdbc:h2:file:" + folder.resolve("rules");
  }
}
