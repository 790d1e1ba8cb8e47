package io.weir.internal.store;

import io.weir.store.StoreFailureKind;

/**
 * Why a store had no answer. Never reaches a caller: a {@link StoreFailureGuard} turns it into a
 * fallback.
 */
public final class StoreException extends RuntimeException {
  private static final long serialVersionUID = 1;

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
