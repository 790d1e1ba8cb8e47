package io.weir.spring;

import io.weir.rules.text.ConfigurationProblem;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Prevents the application from starting; carries the description and the action to take. */
final class StartFailureException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String action;

  StartFailureException(String description, String action, @Nullable Throwable cause) {
    super(description, cause);
    this.action = action;
  }

  /** Returns the failure for invalid rules or settings. */
  static StartFailureException ofProblems(List<ConfigurationProblem> problems) {
    String lines = problems.stream().map(p -> "    " + p).collect(Collectors.joining("\n"));
    return new StartFailureException(
        "Invalid Weir configuration:\n\n" + lines,
        "Fix each line above; see docs/guide/rules.md and docs/guide/spring-boot.md.",
        null);
  }

  static void throwIfAny(List<ConfigurationProblem> problems) {
    if (!problems.isEmpty()) {
      throw ofProblems(problems);
    }
  }

  String action() {
    return action;
  }
}
