package io.weir.spring;

/** What becomes of decisions. */
public enum WeirMode {
  /** Rules are enforced. */
  ENFORCE,
  /** All rules are judged and counted, none is enforced. */
  SHADOW,
  /** Nothing is judged. */
  OFF
}
