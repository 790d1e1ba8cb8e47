package io.weir.rules;

import io.weir.testkit.Soon;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** A process with little memory, whose rules file becomes too large and then good again. */
final class SmallHeapNode {
  private static final Duration SOON = Duration.ofSeconds(60);

  private SmallHeapNode() {}

  /** Takes the file of its rules, one that is too large, and how many bytes may be read. */
  public static void main(String[] arguments) throws IOException {
    Path file = Path.of(arguments[0]);
    Path large = Path.of(arguments[1]);
    long maxBytes =
        arguments[2].isEmpty() ? RulesSize.defaultMaxBytes() : Long.parseLong(arguments[2]);
    Heard heard = new Heard();
    try (FileRules rules = FileRules.open(file, maxBytes, heard)) {
      Files.delete(file);
      Files.createSymbolicLink(file, large);
      while (!isRefused(heard)) {
        Thread.onSpinWait(); // memory ran out here instead of where the rules are read
      }
      System.out.println("refused " + heard.rejections.get(heard.rejections.size() - 1));
      System.out.println("serves " + rules.current().rules().size());
      Soon.until(SOON, "it is stale", () -> !rules.stale().isZero());
      Files.delete(file);
      Files.writeString(file, "rules: [{id: a, limit: 1/s}, {id: b, limit: 1/s}]");
      Duration took =
          Soon.until(SOON, "a good edit acts", () -> rules.current().rules().size() == 2);
      System.out.println("acted " + took.toMillis());
    }
  }

  private static boolean isRefused(Heard heard) {
    try {
      Soon.until(SOON, "it is refused", () -> !heard.rejections.isEmpty());
      return true;
    } catch (OutOfMemoryError e) {
      return false;
    }
  }
}
