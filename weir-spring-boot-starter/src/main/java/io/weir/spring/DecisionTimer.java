package io.weir.spring;

/** Notes how long decisions take. */
interface DecisionTimer {

  /** The time now, in microseconds. */
  long nowMicros();

  /** Notes that a decision was made on what came then. */
  void recordLatencySince(long came);
}
