package io.weir.rules.database;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The file of H2, copied while it is open as after a crash, contains all previous changes. */
class H2CrashImageTest extends DatabaseTestBase {
  private static final int CHANGES = 60;

  private final Path folder;
  private final Path copies;

  H2CrashImageTest(@TempDir Path folder) throws IOException {
    this.folder = folder;
    copies = Files.createDirectory(folder.resolve("copies"));
  }

  @Override
  String url() {
    // makes H2 reuse space at once, which it does only after 45 s otherwise
    return "jdbc:h2:file:" + folder.resolve("rules") + ";RETENTION_TIME=1";
  }

  @Test
  void fileAfterEachChange_holdsTheChange() throws Exception {
    for (int crash = 0; crash < 4; crash++) {
      DatabaseRules node = DatabaseRules.open(url());
      Path image;
      try {
        for (int i = 0; i < CHANGES / 4; i++) {
          long permits = node.current().revision() + 1;
          node.put(rule("api", (int) permits), "ann", node.revision("api"));
          assertThat(revisionInImage(permits)).isEqualTo(permits);
        }
        image = Files.copy(file(), folder.resolve("image"));
      } finally {
        node.close();
      }
      Files.move(image, file(), StandardCopyOption.REPLACE_EXISTING);
    }
  }

  @Test
  void grownFile_isCompactedWithoutLoss() throws SQLException, IOException {
    try (Database database = new Database(url(), 1)) {
      Connection follower = database.openListeningConnection();
      for (int i = 1; i <= CHANGES; i++) {
        put(database, i);
      }
      long before = Files.size(file());
      assertThat(database.compactIfGrown(follower)).isTrue();
      assertThat(Files.size(file())).isLessThan(before / 2);
      assertThat(permits(database)).isEqualTo(CHANGES);
      put(database, CHANGES + 1);
      assertThat(permits(database)).isEqualTo(CHANGES + 1);
      try (Connection again = database.openListeningConnection()) {
        assertThat(database.compactIfGrown(again))
            .as("compacted although it has not grown")
            .isFalse();
      }
    }
  }

  private static void put(Database database, int permits) {
    database.changeDurably(
        "ann",
        connection -> {
          long revision = permits == 1 ? 0 : ChangeFeed.RULES.position(connection).revision();
          return RuleTable.put(connection, "api", "{\"permits\":" + permits + "}", revision);
        });
  }

  private static long permits(Database database) {
    String body = database.read(connection -> RuleTable.changedSince(connection, 0).get(0).body());
    return Long.parseLong(body.replaceAll("[^0-9]", ""));
  }

  private Path file() {
    return folder.resolve("rules.mv.db");
  }

  private long revisionInImage(long number) throws IOException {
    Path image = copies.resolve("rules" + number + ".mv.db");
    Files.copy(file(), image);
    try (Database copy = new Database("jdbc:h2:file:" + copies.resolve("rules" + number))) {
      return copy.read(connection -> ChangeFeed.RULES.position(connection).revision());
    }
  }
}
