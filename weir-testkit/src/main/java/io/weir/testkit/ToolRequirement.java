package io.weir.testkit;

import java.util.Map;
import org.junit.jupiter.api.Assumptions;

/**
 * A tool of the machine that a test needs, such as nginx. Without it, the test is skipped on a
 * developer's machine and fails in CI (environment variable {@code CI}), so that a build is not
 * green because it has tested nothing.
 */
public final class ToolRequirement {
  private ToolRequirement() {}

  /**
   * Skips the test, or fails it in CI, if a tool is missing.
   *
   * @param message says what is missing and how to install it
   */
  public static void require(boolean installed, String message) {
    require(installed, message, System.getenv());
  }

  static void require(boolean installed, String message, Map<String, String> environment) {
    if (!installed && isCi(environment)) {
      throw new AssertionError("a tool is missing in CI: " + message);
    }
    Assumptions.assumeTrue(installed, message);
  }

  private static boolean isCi(Map<String, String> environment) {
    String ci = environment.getOrDefault("CI", "");
    return !ci.isEmpty() && !ci.equals("false");
  }
}
