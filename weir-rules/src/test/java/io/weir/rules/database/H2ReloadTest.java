package io.weir.rules.database;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** Much is read in H2 as in any database; apart from its other tests, for it takes as long. */
class H2ReloadTest extends ReloadContract {
  @SuppressWarnings("NullAway.Init")
  @TempDir
  Path folder;

  @Override
  String url() {
    return "jdbc:h2:file:" + folder.resolve("rules");
  }
}
