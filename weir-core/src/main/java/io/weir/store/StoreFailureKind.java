package io.weir.store;

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
