package io.weir.rules.database;

/** Thrown if a change is rejected because the rule, or the rules, were changed in the meantime. */
public final class StaleRevisionException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final long currentRevision;

  StaleRevisionException(String id, long expected, long current) {
    super(
        current == 0
            ? "there is no rule '" + id + "' at revision " + expected + "; read the rules again"
            : "rule '%s' is at revision %d, not %d; read it again and repeat the change"
                .formatted(id, current, expected));
    this.currentRevision = current;
  }

  /** For a change of all rules. */
  StaleRevisionException(long expected, long current) {
    super(
        "the rules are at revision %d, not %d; read them again and repeat the change"
            .formatted(current, expected));
    this.currentRevision = current;
  }

  /** Returns the current revision of the rule, 0 if it does not exist; or that of all rules. */
  public long currentRevision() {
    return currentRevision;
  }
}
