package io.weir.store;

/**
 * Why a store had no answer. Never reaches a caller: a {@link StoreFailureGuard} turns it into a
 * posture.
 */
public final class StoreException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** The ways a store can fail to answer, as metrics name them. */
  public enum StoreFailureKind {
    /** No answer within the deadline. */
    TIMEOUT,
    /** More decisions were waiting than may wait. */
    OVERLOAD,
    /** There is no connection. */
    UNREACHABLE,
    /** The store said no. */
    ERROR,
    /** The store said what cannot be. */
    GARBLED
  }

  private final StoreFailureKind kind;
  private final String reason;

  public StoreException(StoreFailureKind kind, String reason) {
    super(reason, null, false, false);
    this.kind = kind;
    this.reason = reason;
  }

  public StoreFailureKind kind() {
    return kind;
  }

  public String reason() {
    return reason;
  }
}
