package io.weir.rules.text;

import java.util.List;
import java.util.stream.Collectors;

/** Thrown for an invalid configuration text, with all its problems. */
public final class InvalidConfigurationException extends IllegalArgumentException {
  private static final long serialVersionUID = 1;

  private final transient List<ConfigurationProblem> problems;

  public InvalidConfigurationException(List<ConfigurationProblem> problems) {
    super(problems.stream().map(ConfigurationProblem::toString).collect(Collectors.joining("\n")));
    this.problems = List.copyOf(problems);
  }

  /** Returns all problems, in the order of the file. The message has one line for each. */
  public List<ConfigurationProblem> problems() {
    return problems;
  }
}
