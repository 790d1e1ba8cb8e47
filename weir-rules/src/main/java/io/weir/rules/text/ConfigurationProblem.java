package io.weir.rules.text;

/**
 * One problem in a configuration text: its position, and how to fix it.
 *
 * @param file the name of the text
 * @param line counted from 1, or 0 for the whole file
 * @param column counted from 1 in characters, or 0 for the whole file
 * @param rule the id of the rule, or empty if it concerns no rule
 * @param field the field, or empty if it concerns no field
 * @param reason the rule that is violated, and how to fix it, in one line
 */
public record ConfigurationProblem(
    String file, int line, int column, String rule, String field, String reason) {

  /** Returns {@code file:line:column: rule: field: reason}, without the parts that are empty. */
  @Override
  public String toString() {
    return (line == 0 ? file : file + ":" + line + ":" + column)
        + ": "
        + (rule.isEmpty() ? "" : rule + ": ")
        + (field.isEmpty() ? "" : field + ": ")
        + reason;
  }
}
