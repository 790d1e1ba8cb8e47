package io.weir.server.metrics;

import io.weir.rule.RuleSet;
import java.time.Duration;

/**
 * How a node fares, for metrics and alerts. Asked now and then, by any thread; answers at once.
 * What is not said otherwise is so where counters live in this node's memory.
 */
public interface Vitals {

  /** The rules in force. */
  RuleSet rules();

  /** For how long they have not been what their source says; zero while in step. */
  default Duration stale() {
    return Duration.ZERO;
  }

  /** Whether the store is asked and answers. */
  default boolean storeAvailable() {
    return true;
  }

  /** How the store fares, in words. */
  default String storeState() {
    return "answers";
  }

  /** How far the store's clock is ahead of this node's. */
  default Duration drift() {
    return Duration.ZERO;
  }

  /** How many decisions postures have answered so far. */
  default long degraded() {
    return 0;
  }
}
