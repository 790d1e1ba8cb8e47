package io.weir.server.cli;

import io.weir.rules.RulesDiff;
import io.weir.rules.RulesDiff.Changed;
import io.weir.rules.RulesDiff.Field;

/** Shows people what differs between rules: added with +, removed with -, changed with ~. */
record DiffView(Screen screen) {

  void show(RulesDiff diff) {
    diff.changed().forEach(this::show);
  }

  private void show(Changed rule) {
    if (rule.before().isEmpty()) {
      screen.line(screen.good("+ " + rule.id()));
      rule.fields().forEach(f -> screen.line(screen.good("+   " + f.name() + ": " + f.after())));
    } else if (rule.after().isEmpty()) {
      screen.line(screen.bad("- " + rule.id()));
      rule.fields().forEach(f -> screen.line(screen.bad("-   " + f.name() + ": " + f.before())));
    } else {
      screen.line(screen.doubtful("~ " + rule.id()));
      rule.fields().forEach(f -> screen.line("    " + changed(f)));
    }
  }

  private static String changed(Field field) {
    return field.name() + ": " + field.before() + " → " + field.after();
  }

  /** {@code 1 added, 2 changed, 0 removed, 7 equal}. */
  static String summary(RulesDiff diff) {
    long added = diff.changed().stream().filter(c -> c.before().isEmpty()).count();
    long removed = diff.changed().stream().filter(c -> c.after().isEmpty()).count();
    long changed = diff.changed().size() - added - removed;
    return "%d added, %d changed, %d removed, %d equal"
        .formatted(added, changed, removed, diff.equal());
  }
}
