package io.weir.rules.text;

import java.util.List;
import java.util.stream.Collectors;

/** Rules as written that cannot be, with everything that is wrong with them. */
public final class TextException extends IllegalArgumentException {
  private static final long serialVersionUID = 1;

  private final transient List<Problem> problems;

  public TextException(List<Problem> problems) {
    super(problems.stream().map(Problem::toString).collect(Collectors.joining("\n")));
    this.problems = List.copyOf(problems);
  }

  /** Everything that is wrong, in the order of the file. The message has one line for each. */
  public List<Problem> problems() {
    return problems;
  }
}
