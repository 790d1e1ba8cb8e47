package io.weir.spring;

/** Whether rules are enforced, only counted, or switched off. */
public enum WeirMode {
  /** Rules are enforced. */
  ENFORCE,
  /** All rules are counted as shadow rules; none is enforced. */
  SHADOW,
  /** No rules are applied. */
  OFF
}
