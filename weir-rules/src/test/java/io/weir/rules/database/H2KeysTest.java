package io.weir.rules.database;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.io.TempDir;

class H2KeysTest extends KeysContract {
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
}
