package io.weir.spring;

/** Records the latency of decisions. */
interface DecisionTimer {

  /** Returns the current time in microseconds. */
  long nowMicros();

  /** Records the latency of a decision that started at this time. */
  void recordLatencySince(long startMicros);
}
