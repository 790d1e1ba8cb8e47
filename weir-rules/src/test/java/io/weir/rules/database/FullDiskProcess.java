package io.weir.rules.database;

import io.weir.rules.Rules;
import io.weir.testkit.Await;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/** A process whose small disk is filled and freed; prints the results of its changes. */
final class FullDiskProcess {
  private static final Duration MAX_WAIT = Duration.ofSeconds(60);

  private FullDiskProcess() {}

  /**
   * Arguments: the folder of the small disk, and a folder on another disk for a copy of its files.
   */
  public static void main(String[] arguments) throws IOException {
    Path disk = Path.of(arguments[0]);
    Path fill = disk.resolve("fill");
    String url = "jdbc:h2:file:" + disk.resolve("rules");
    try (DatabaseRules rules = DatabaseRules.open(url)) {
      put(rules, "before");
      fill(fill);
      String answer = put(rules, "during");
      System.out.println("answer " + answer);
      System.out.println("failure " + rules.writeFailure());
      System.out.println("retry " + put(rules, "retry"));
      System.out.println("rules " + rules.current().rules().size());
      Files.delete(fill);
      Await.until(MAX_WAIT, "the recovery", () -> rules.writeFailure().isEmpty());
      System.out.println("after " + put(rules, "after"));
      // the files that a process killed at this point leaves behind
      Files.copy(disk.resolve("rules.mv.db"), Path.of(arguments[1]).resolve("rules.mv.db"));
      System.out.println("staleMillis " + rules.staleness().toMillis());
    }
    try (DatabaseRules left = DatabaseRules.open("jdbc:h2:file:" + arguments[1] + "/rules")) {
      List<String> ids = left.current().rules().stream().map(rule -> rule.id()).toList();
      System.out.println("survivors " + String.join(",", ids));
    }
  }

  private static String put(DatabaseRules rules, String id) {
    try {
      String padding = "x".repeat(4000);
      String text = "{id: " + id + ", match: {user: " + padding + "}, limit: 1/hour}";
      return "ok " + rules.put(Rules.readOne("test", text), "ann", rules.revision(id));
    } catch (DatabaseException e) {
      return Objects.requireNonNull(e.getMessage());
    }
  }

  private static void fill(Path file) throws IOException {
    byte[] block = new byte[4096];
    try (OutputStream out = Files.newOutputStream(file)) {
      while (true) {
        out.write(block);
      }
    } catch (IOException e) {
      System.out.println("filled " + Files.size(file));
    }
  }
}
