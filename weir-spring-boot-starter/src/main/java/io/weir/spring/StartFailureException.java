package io.weir.spring;

import io.weir.rules.text.ConfigurationProblem;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** An application that must not start: what is wrong, and what to do about it. */
final class StartFailureException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String action;

  StartFailureException(String description, String action, @Nullable Throwable cause) {
    super(description, cause);
    this.action = action;
  }

  /** Rules that cannot be. */
  static StartFailureException ofProblems(List<ConfigurationProblem> problems) {
    String lines = problems.stream().map(p -> "    " + p).collect(Collectors.joining("\n"));
    return new StartFailureException(
        "Weir cannot limit as it is told to:\n\n" + lines,
        "Change them as each line says. Every field is explained in docs/rules.md and docs/spring.md.",
        null);
  }

  String action() {
    return action;
  }
}
