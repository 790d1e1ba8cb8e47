package io.weir.rules.text;

/**
 * One thing that is wrong with rules as written: where, and what to write instead.
 *
 * @param file the name of what was read
 * @param line counted from 1, or 0 where the whole file is meant
 * @param column counted from 1 in characters, or 0 where the whole file is meant
 * @param rule the id of the rule, or empty where it is of none
 * @param field the field, or empty where it is of none
 * @param reason what is wrong and what to write instead, in one line
 */
public record ConfigurationProblem(
    String file, int line, int column, String rule, String field, String reason) {

  /** {@code file:line:column: rule: field: reason}, without what there is none of. */
  @Override
  public String toString() {
    return (line == 0 ? file : file + ":" + line + ":" + column)
        + ": "
        + (rule.isEmpty() ? "" : rule + ": ")
        + (field.isEmpty() ? "" : field + ": ")
        + reason;
  }
}
