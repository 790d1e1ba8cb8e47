package io.weir.rules;

import io.weir.testkit.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** A process with little memory, whose rules file becomes too large and then good again. */
final class SmallHeapProcess {
  private static final Duration MAX_WAIT = Duration.ofSeconds(60);

  private SmallHeapProcess() {}

  /** Takes the file of its rules, one that is too large, and how many bytes may be read. */
  public static void main(String[] arguments) throws IOException {
    Path file = Path.of(arguments[0]);
    Path large = Path.of(arguments[1]);
    long maxBytes =
        arguments[2].isEmpty() ? RulesSizeLimit.defaultMaxBytes() : Long.parseLong(arguments[2]);
    RecordingRulesListener heard = new RecordingRulesListener();
    try (FileRules rules = FileRules.open(file, maxBytes, heard)) {
      Files.delete(file);
      Files.createSymbolicLink(file, large);
      while (!awaitRejection(heard)) {
        Thread.onSpinWait(); // memory ran out here instead of where the rules are read
      }
      System.out.println("refused " + heard.rejections.get(heard.rejections.size() - 1));
      System.out.println("serves " + rules.current().rules().size());
      Await.until(MAX_WAIT, "it is stale", () -> !rules.staleness().isZero());
      Files.delete(file);
      Files.writeString(file, "rules: [{id: a, limit: 1/s}, {id: b, limit: 1/s}]");
      Duration took =
          Await.until(MAX_WAIT, "a good edit acts", () -> rules.current().rules().size() == 2);
      System.out.println("acted " + took.toMillis());
    }
  }

  private static boolean awaitRejection(RecordingRulesListener heard) {
    try {
      Await.until(MAX_WAIT, "it is refused", () -> !heard.rejections.isEmpty());
      return true;
    } catch (OutOfMemoryError e) {
      return false;
    }
  }
}
