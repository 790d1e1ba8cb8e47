package io.weir.server.home;

/** Why rules cannot be read from where they live, or changed there, in one line. */
public final class RuleRepositoryException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** What kind of reason it is. */
  public enum RepositoryFailure {
    /** There is nothing there yet. */
    NOT_FOUND,
    /** Another process has it for itself. */
    LOCKED,
    /** It is there, and refuses. */
    READ_ONLY
  }

  private final RepositoryFailure failure;

  public RuleRepositoryException(RepositoryFailure kind, String reason) {
    super(reason);
    this.failure = kind;
  }

  RuleRepositoryException(RepositoryFailure kind, String reason, Throwable cause) {
    super(reason, cause);
    this.failure = kind;
  }

  public RepositoryFailure failure() {
    return failure;
  }
}
