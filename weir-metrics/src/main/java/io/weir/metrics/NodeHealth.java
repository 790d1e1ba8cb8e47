package io.weir.metrics;

import io.weir.rule.RuleSet;
import io.weir.rule.RuleSource;
import io.weir.store.Store;
import io.weir.store.StoreHealth;
import java.time.Duration;
import java.util.function.IntSupplier;

/**
 * How a node fares, for metrics and alerts. Asked now and then, by any thread; answers at once.
 * What is not said otherwise is so where counters live in this node's memory.
 */
public interface NodeHealth {

  /** Those of a node with these rules and this store. */
  static NodeHealth of(RuleSource source, Store store) {
    return of(source, store, () -> 0);
  }

  /**
   * As above.
   *
   * @param pending how many settlements of its limiters wait for the store
   */
  static NodeHealth of(RuleSource source, Store store, IntSupplier pending) {
    return new NodeHealth() {
      @Override
      public RuleSet rules() {
        return source.current();
      }

      @Override
      public Duration rulesStaleness() {
        return source.staleness();
      }

      @Override
      public String rulesWriteFailure() {
        return source.writeFailure();
      }

      @Override
      public StoreHealth storeHealth() {
        return store.health();
      }

      @Override
      public int pendingSettlements() {
        return pending.getAsInt();
      }
    };
  }

  /** The rules in force. */
  RuleSet rules();

  /** For how long they have not been what their source says; zero while in step. */
  default Duration rulesStaleness() {
    return Duration.ZERO;
  }

  /** Why the last change of the rules could not be written; empty while changes can be. */
  default String rulesWriteFailure() {
    return "";
  }

  /** How the store fares. */
  default StoreHealth storeHealth() {
    return StoreHealth.ALWAYS_AVAILABLE;
  }

  /** How many refunds and settled reservations wait for a store that is unavailable. */
  default int pendingSettlements() {
    return 0;
  }
}
