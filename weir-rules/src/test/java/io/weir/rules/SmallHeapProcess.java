package io.weir.rules;

import io.weir.testkit.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** A process with little memory, whose rules file becomes too large and then valid again. */
final class SmallHeapProcess {
  private static final Duration MAX_WAIT = Duration.ofSeconds(60);

  private SmallHeapProcess() {}

  /**
   * Arguments: the file of its rules, a file that is too large, and the maximum number of bytes.
   */
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
        Thread
            .onSpinWait(); // this thread ran out of memory instead of the one that reads the rules
      }
      System.out.println("rejected " + heard.rejections.get(heard.rejections.size() - 1));
      System.out.println("rules " + rules.current().rules().size());
      Await.until(MAX_WAIT, "stale rules", () -> !rules.staleness().isZero());
      Files.delete(file);
      Files.writeString(file, "rules: [{id: a, limit: 1/s}, {id: b, limit: 1/s}]");
      Duration took =
          Await.until(MAX_WAIT, "a good edit to apply", () -> rules.current().rules().size() == 2);
      System.out.println("applied " + took.toMillis());
    }
  }

  private static boolean awaitRejection(RecordingRulesListener heard) {
    try {
      Await.until(MAX_WAIT, "the rejection", () -> !heard.rejections.isEmpty());
      return true;
    } catch (OutOfMemoryError e) {
      return false;
    }
  }
}
