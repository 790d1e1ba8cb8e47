package io.weir.rule;

/** Thrown for an invalid rule, with its id, the field and the reason. */
public final class RuleException extends IllegalArgumentException {
  private static final long serialVersionUID = 1;

  private final String rule;
  private final String field;
  private final String reason;

  public RuleException(String rule, String field, String reason) {
    super("rule '" + rule + "': " + field + ": " + reason);
    this.rule = rule;
    this.field = field;
    this.reason = reason;
  }

  /** Runs a step of building a rule and attributes its errors to the rule and field. */
  public static void runWithContext(String rule, String field, Runnable step) {
    try {
      step.run();
    } catch (RuleException e) {
      throw e;
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw new RuleException(rule, field, String.valueOf(e.getMessage()));
    }
  }

  public String rule() {
    return rule;
  }

  public String field() {
    return field;
  }

  public String reason() {
    return reason;
  }
}
