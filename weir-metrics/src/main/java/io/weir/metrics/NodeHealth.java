package io.weir.metrics;

import io.weir.rule.RuleSet;
import io.weir.rule.RuleSource;
import io.weir.store.Store;
import io.weir.store.StoreHealth;
import java.time.Duration;
import java.util.Map;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * The health of a node, for metrics and alerts. Called periodically by any thread; implementations
 * must not block. The defaults describe a node that keeps its counters in memory.
 */
public interface NodeHealth {

  /** Returns the health of a node with these rules and this store. */
  static NodeHealth of(RuleSource source, Store store) {
    return of(source, store, () -> 0);
  }

  /**
   * Returns the health of a node with these rules and this store.
   *
   * @param pending returns how many settlements of its limiters wait for the store
   */
  static NodeHealth of(RuleSource source, Store store, IntSupplier pending) {
    return of(source, store, pending, Map::of);
  }

  /**
   * As above.
   *
   * @param slots returns the slots of in-flight limits that its limiters hold, by rule id
   */
  static NodeHealth of(
      RuleSource source, Store store, IntSupplier pending, Supplier<Map<String, Integer>> slots) {
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

      @Override
      public Map<String, Integer> heldSlots() {
        return slots.get();
      }
    };
  }

  /** Returns the slots of in-flight limits that requests of this node hold, by rule id. */
  default Map<String, Integer> heldSlots() {
    return Map.of();
  }

  /** Returns the active rules. */
  RuleSet rules();

  /** Returns how long the rules have been out of date with their source; zero if up to date. */
  default Duration rulesStaleness() {
    return Duration.ZERO;
  }

  /** Returns why the last rule change could not be written; empty if it was written. */
  default String rulesWriteFailure() {
    return "";
  }

  /** Returns the health of the store. */
  default StoreHealth storeHealth() {
    return StoreHealth.ALWAYS_AVAILABLE;
  }

  /** Returns how many refunds and settlements wait for an unavailable store. */
  default int pendingSettlements() {
    return 0;
  }
}
