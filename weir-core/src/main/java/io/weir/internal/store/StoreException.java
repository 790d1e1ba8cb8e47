package io.weir.internal.store;

/**
 * Why a store had no answer. Never reaches a caller: a {@link StoreFailureGuard} turns it into a
 * fallback.
 */
public final class StoreException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** The ways in which a store can fail to answer; metrics use the names as labels. */
  public enum StoreFailureKind {
    /** No answer within the deadline. */
    TIMEOUT,
    /** Too many decisions were pending. */
    OVERLOAD,
    /** There is no connection. */
    UNREACHABLE,
    /** The store answered with an error. */
    ERROR,
    /** The answer of the store was not valid. */
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
