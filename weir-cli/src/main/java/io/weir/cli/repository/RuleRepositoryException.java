package io.weir.cli.repository;

/** Thrown if a rule repository cannot be opened or changed. The message is one line. */
public final class RuleRepositoryException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** The kinds of failures. */
  public enum RepositoryFailure {
    /** The repository does not exist yet. */
    NOT_FOUND,
    /** Another process has locked the repository. */
    LOCKED,
    /** The repository cannot be changed. */
    READ_ONLY
  }

  private final RepositoryFailure failure;

  public RuleRepositoryException(RepositoryFailure failure, String message) {
    super(message);
    this.failure = failure;
  }

  RuleRepositoryException(RepositoryFailure failure, String message, Throwable cause) {
    super(message, cause);
    this.failure = failure;
  }

  public RepositoryFailure failure() {
    return failure;
  }
}
