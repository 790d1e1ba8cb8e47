package io.weir.rules.database;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** Much is read in H2 as in any database. Alone, since it takes as long as the tests of nodes. */
class H2LargeReloadTest extends LargeReloadContract {
  @SuppressWarnings("NullAway.Init")
  @TempDir
  Path folder;

  @Override
  String url() {
    return "jdbc:h2:file:" + folder.resolve("rules");
  }
}
