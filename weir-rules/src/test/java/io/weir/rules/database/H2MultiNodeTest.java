package io.weir.rules.database;

import java.nio.file.Path;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;

/** The multi-node contracts on H2, where nodes detect changes by polling only. */
class H2MultiNodeTest {
  @SuppressWarnings("NullAway.Init")
  @TempDir
  Path folder;

  @Nested
  class H2RuleChangeCounters extends RuleChangeCountersContract {
    @Override
    String url() {
      return h2Url();
    }
  }

  @Nested
  class H2ReportedOnce extends ReportedOnceContract {
    @Override
    String url() {
      return h2Url();
    }
  }

  @Nested
  class H2PropagationDelay extends PropagationDelayContract {
    @Override
    String url() {
      return h2Url();
    }
  }

  private String h2Url() {
    return "jdbc:h2:file:" + folder.resolve("rules");
  }
}
