package io.weir.rules.text;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** What is wrong with one file, collected while it is read. */
public final class ProblemCollector {
  /** So that a hostile file cannot fill the memory or the log with what is wrong with it. */
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

  /** For what leaves nothing more to be read. */
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
      String more = "has more wrong than these " + MAX_PROBLEMS + "; write these anew first";
      sorted.add(new ConfigurationProblem(file, 0, 0, "", "", more));
    }
    return new InvalidConfigurationException(sorted);
  }

  /** A value as it may stand in a reason: quoted, short, in one line. */
  public static String quote(String value) {
    return "'" + toLine(value, MAX_VALUE_LENGTH) + "'";
  }

  private static String toLine(String text, int longest) {
    StringBuilder line = new StringBuilder();
    text.codePoints()
        .limit(longest)
        .forEach(c -> line.append(isVisible(c) ? Character.toString(c) : "?"));
    return line.append(text.codePointCount(0, text.length()) > longest ? "…" : "").toString();
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
