package io.weir.metrics;

import io.weir.rule.RuleSet;
import io.weir.rule.RuleSource;
import io.weir.store.Health;
import io.weir.store.Store;
import java.time.Duration;

/**
 * How a node fares, for metrics and alerts. Asked now and then, by any thread; answers at once.
 * What is not said otherwise is so where counters live in this node's memory.
 */
public interface Vitals {

  /** Those of a node with these rules and this store. */
  static Vitals of(RuleSource source, Store store) {
    return new Vitals() {
      @Override
      public RuleSet rules() {
        return source.current();
      }

      @Override
      public Duration stale() {
        return source.stale();
      }

      @Override
      public Health store() {
        return store.health();
      }
    };
  }

  /** The rules in force. */
  RuleSet rules();

  /** For how long they have not been what their source says; zero while in step. */
  default Duration stale() {
    return Duration.ZERO;
  }

  /** How the store fares. */
  default Health store() {
    return Health.ALWAYS;
  }
}
