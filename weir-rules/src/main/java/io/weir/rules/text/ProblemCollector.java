package io.weir.rules.text;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Collects the problems of one file while it is read. Not thread-safe. */
public final class ProblemCollector {
  /** Bounds memory and log size for a hostile file. */
  private static final int MAX_PROBLEMS = 1000;

  private static final int MAX_REASON_LENGTH = 400;
  private static final int MAX_VALUE_LENGTH = 60;

  private final String file;
  private final List<ConfigurationProblem> problems = new ArrayList<>();
  private boolean truncated;

  public ProblemCollector(String file) {
    this.file = toLine(file, MAX_REASON_LENGTH);
  }

  public void add(SourcePosition at, String rule, String field, String reason) {
    truncated |= problems.size() == MAX_PROBLEMS;
    if (!truncated) {
      problems.add(
          new ConfigurationProblem(
              file,
              at.line(),
              at.column(),
              toLine(rule, MAX_VALUE_LENGTH),
              toLine(field, MAX_VALUE_LENGTH),
              toLine(reason, MAX_REASON_LENGTH)));
    }
  }

  public void add(SourcePosition at, String reason) {
    add(at, "", "", reason);
  }

  /** Adds a problem that ends the reading, and returns the exception to throw. */
  public InvalidConfigurationException fatal(SourcePosition at, String reason) {
    add(at, reason);
    return toException();
  }

  public boolean hasProblems() {
    return !problems.isEmpty();
  }

  public InvalidConfigurationException toException() {
    List<ConfigurationProblem> sorted = new ArrayList<>(problems);
    sorted.sort(
        Comparator.comparingInt(ConfigurationProblem::line)
            .thenComparingInt(ConfigurationProblem::column));
    if (truncated) {
      String more = "has more than " + MAX_PROBLEMS + " problems; fix these first";
      sorted.add(new ConfigurationProblem(file, 0, 0, "", "", more));
    }
    return new InvalidConfigurationException(sorted);
  }

  /** Returns a value for use in an error message: quoted, shortened, in one line. */
  public static String quote(String value) {
    return "'" + toLine(value, MAX_VALUE_LENGTH) + "'";
  }

  private static String toLine(String text, int maxLength) {
    StringBuilder line = new StringBuilder();
    text.codePoints()
        .limit(maxLength)
        .forEach(c -> line.append(isVisible(c) ? Character.toString(c) : "?"));
    return line.append(text.codePointCount(0, text.length()) > maxLength ? "…" : "").toString();
  }

  private static boolean isVisible(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          false;
      default -> true;
    };
  }
}
