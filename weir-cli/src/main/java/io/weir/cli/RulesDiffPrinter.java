package io.weir.cli;

import io.weir.rules.RulesDiff;
import io.weir.rules.RulesDiff.ChangedField;
import io.weir.rules.RulesDiff.ChangedRule;

/** Prints the differences between rules: + is added, - is removed, ~ is changed. */
record RulesDiffPrinter(TerminalOutput output) {

  void print(RulesDiff diff) {
    diff.changedRules().forEach(this::print);
  }

  private void print(ChangedRule rule) {
    if (rule.before().isEmpty()) {
      output.println(output.success("+ " + rule.id()));
      rule.fields()
          .forEach(f -> output.println(output.success("+   " + f.name() + ": " + f.after())));
    } else if (rule.after().isEmpty()) {
      output.println(output.error("- " + rule.id()));
      rule.fields()
          .forEach(f -> output.println(output.error("-   " + f.name() + ": " + f.before())));
    } else {
      output.println(output.warning("~ " + rule.id()));
      rule.fields().forEach(f -> output.println("    " + changeText(f)));
    }
  }

  private static String changeText(ChangedField field) {
    return field.name() + ": " + field.before() + " → " + field.after();
  }

  /** {@code 1 added, 2 changed, 0 removed, 7 equal}. */
  static String summary(RulesDiff diff) {
    long added = diff.changedRules().stream().filter(c -> c.before().isEmpty()).count();
    long removed = diff.changedRules().stream().filter(c -> c.after().isEmpty()).count();
    long changed = diff.changedRules().size() - added - removed;
    return "%d added, %d changed, %d removed, %d equal"
        .formatted(added, changed, removed, diff.unchangedCount());
  }
}
