package io.weir.rules.database;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** The contract of large reloads on H2. A class of its own, since it is slow. */
class H2LargeReloadTest extends LargeReloadContract {
  @SuppressWarnings("NullAway.Init")
  @TempDir
  Path folder;

  @Override
  String url() {
    return "jdbc:h2:file:" + folder.resolve("rules");
  }
}
