package io.weir.rules.database;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rules.Rules;
import io.weir.testkit.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The secret of an API key is stored and logged nowhere. */
@Timeout(120)
@Tag("slow")
abstract class SecretLeakContract extends DatabaseTestBase {
  private static final int PART_LENGTH = 16;

  /** Returns the folder with all files of the database. */
  abstract Path databaseFolder();

  /** Makes the database write its memory to these files. */
  abstract void flushDatabase();

  @Test
  @DisplayName("no part of a secret is in the database, its log, the backup, the history or logs")
  void secret_isStoredAndLoggedNowhere(@TempDir Path folder) throws IOException {
    Path copy = folder.resolve("rules.copy");
    NewApiKey good;
    NewApiKey revoked;
    String shown;
    FullLogCapture log = new FullLogCapture();
    try (log;
        DatabaseRules node = DatabaseRules.open(url(), copy);
        DatabaseRules there = openNode()) {
      node.put(rule("api", 1), "ann", 0);
      node.put(rule("api", 2), "bob", node.revision("api"));
      good = node.keys().create("acme", "pro", "ann");
      revoked = node.keys().create("eve", "", "ann");
      String secret = good.secret();
      Await.until(
          MAX_DELAY, "the key on the other node", () -> there.keys().verify(secret).isPresent());
      assertThat(node.keys().verify(revoked.secret())).isPresent();
      assertThat(node.keys().verify(secret + "0")).isEmpty();
      assertThat(node.keys().revoke(revoked.id())).isTrue();
      // a secret passed instead of an id
      assertThat(node.keys().revoke(secret)).isFalse();
      Optional<ApiKeyOwner> caller = node.keys().verify(secret);
      shown = List.of(node.keys().list(), node.history("api"), good, revoked, caller).toString();
      shown += Rules.toJson(node.current().rules()) + node.rejected();
    }
    flushDatabase();
    String digest = ApiKeySecret.digest(good.secret()).toHex();
    assertThat(contents(databaseFolder()))
        .as("the search finds the stored digest")
        .anyMatch(file -> file.contains(digest));
    assertThat(Files.readString(copy)).contains(digest);
    assertThat(log.text()).as("the captured log").contains("revision");
    for (NewApiKey key : List.of(good, revoked)) {
      String random = key.secret().substring(key.secret().lastIndexOf('_') + 1);
      for (String part :
          List.of(
              random.substring(0, PART_LENGTH), random.substring(PART_LENGTH, 2 * PART_LENGTH))) {
        assertThat(contents(databaseFolder())).noneMatch(file -> file.contains(part));
        assertThat(contents(folder)).noneMatch(file -> file.contains(part));
        assertThat(log.text().contains(part)).as("in a log").isFalse();
        assertThat(shown).doesNotContain(part);
      }
    }
  }

  private static List<String> contents(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(Files::isRegularFile).map(SecretLeakContract::content).toList();
    }
  }

  private static String content(Path file) {
    try {
      return new String(Files.readAllBytes(file), ISO_8859_1);
    } catch (IOException e) {
      return ""; // deleted meanwhile, as files of a running database may be
    }
  }

  /** Captures all log messages of all levels, including those of drivers. */
  private static final class FullLogCapture extends Handler implements AutoCloseable {
    private final Logger root = Logger.getLogger("");
    private final Level before = root.getLevel();
    private final SimpleFormatter formatter = new SimpleFormatter();
    private final Queue<String> lines = new ConcurrentLinkedQueue<>();

    FullLogCapture() {
      root.setLevel(Level.ALL);
      root.addHandler(this);
    }

    String text() {
      return String.join("", lines);
    }

    @Override
    public void publish(LogRecord line) {
      lines.add(formatter.format(line));
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
      root.setLevel(before);
      root.removeHandler(this);
    }
  }
}
