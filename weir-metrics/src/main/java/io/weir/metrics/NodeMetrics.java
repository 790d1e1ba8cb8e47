package io.weir.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.weir.rule.Rule;
import io.weir.rules.RulesListener;
import io.weir.store.Clock;
import io.weir.store.StoreListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * The meters of a node: listeners that count events, and gauges for its health. The number of time
 * series depends only on the rules, not on callers.
 *
 * <pre>{@code
 * NodeMetrics metrics = new NodeMetrics(registry, Clock.system());
 * rules = FileRules.open(file, metrics.rules());
 * store = RedisStore.at(url).listener(metrics.store()).open();
 * limiter = Weir.limiter(rules).store(store).listener(metrics.decisions()).build();
 * metrics.registerGauges(NodeHealth.of(rules, store));
 * }</pre>
 *
 * <p>Thread-safe.
 */
public final class NodeMetrics {
  private static final int DEFAULT_MAX_RULES = 1000;

  private final MeterRegistry registry;
  private final Clock clock;
  private final DecisionMetrics decisions;
  private final StoreMetrics store;
  private final Counter rejectedChanges;
  private final TaskMetrics tasks;
  private final MultiGauge slots;

  public NodeMetrics(MeterRegistry registry, Clock clock) {
    this(registry, clock, DEFAULT_MAX_RULES);
  }

  /**
   * @param maxRules the maximum number of rules with their own meters; further rules share meters
   */
  public NodeMetrics(MeterRegistry registry, Clock clock, int maxRules) {
    this.registry = registry;
    this.clock = clock;
    decisions = new DecisionMetrics(registry, clock, maxRules);
    store = new StoreMetrics(registry);
    tasks = new TaskMetrics(registry);
    slots =
        MultiGauge.builder("weir.in.flight")
            .description("Slots of in-flight limits that requests of this node hold")
            .register(registry);
    rejectedChanges =
        Counter.builder("weir.rules.rejected")
            .description("Rejected rule changes")
            .register(registry);
  }

  /** Returns the listener that counts decisions and records their latency. */
  public DecisionMetrics decisions() {
    return decisions;
  }

  /** Returns the listener that counts answers and failures of the store. */
  public StoreListener store() {
    return store;
  }

  /** Returns the listener that counts rejected rule changes. */
  public RulesListener rules() {
    return new RulesListener() {
      @Override
      public void rejected(String reason) {
        rejectedChanges.increment();
      }
    };
  }

  /**
   * Registers meters for new background tasks and active rules, and removes those of rules deleted
   * long ago. Must be called periodically.
   */
  public void refresh(NodeHealth node) {
    tasks.registerNewTasks();
    registerSlots(node);
    decisions.ruleMeters().update(node.rules(), node.storeHealth().nodes(), clock.micros());
  }

  /** A rule with in-flight has a gauge even while none of its requests runs. */
  private void registerSlots(NodeHealth node) {
    Map<String, Integer> held = node.heldSlots();
    List<MultiGauge.Row<?>> rows = new ArrayList<>();
    for (Rule rule : node.rules().rules()) {
      if (rule.enabled() && rule.limitsInFlight() && rows.size() < DEFAULT_MAX_RULES) {
        rows.add(MultiGauge.Row.of(Tags.of("rule", rule.id()), held.getOrDefault(rule.id(), 0)));
      }
    }
    slots.register(rows, true);
  }

  /** Registers the gauges for the health of a node. Must be called once. */
  public void registerGauges(NodeHealth node) {
    tasks.registerNewTasks();
    gauge("weir.rules.revision", "Revision of the active rules", node, v -> v.rules().revision());
    seconds(
        "weir.rules.stale",
        "How long the rules have been out of date with their source",
        node,
        v -> seconds(v.rulesStaleness()));
    gauge(
        "weir.rules.writable",
        "0 while rule changes cannot be written",
        node,
        v -> v.rulesWriteFailure().isEmpty() ? 1 : 0);
    seconds(
        "weir.clock.drift",
        "How far the store's clock is ahead of this node's",
        node,
        v -> seconds(v.storeHealth().clockDrift()));
    gauge(
        "weir.store.available",
        "1 while the store is available",
        node,
        v -> v.storeHealth().available() ? 1 : 0);
    gauge("weir.nodes", "Nodes that share the store", node, v -> v.storeHealth().nodes());
    gauge(
        "weir.leased.permits",
        "Leased permits that are not used yet",
        node,
        v -> v.storeHealth().leasedPermits());
    gauge(
        "weir.untold.permits",
        "Permits admitted under synced rules and not yet reported to the store",
        node,
        v -> v.storeHealth().unsyncedPermits());
    gauge(
        "weir.reservations.pending",
        "Refunds and settlements of reservations waiting for an unavailable store",
        node,
        NodeHealth::pendingSettlements);
    seconds(
        "weir.synced.lag",
        "Delay of the sync of synced counters beyond its interval",
        node,
        v -> seconds(v.storeHealth().syncLag()));
  }

  private static Gauge.Builder<NodeHealth> gaugeBuilder(
      String name, String description, NodeHealth node, ToDoubleFunction<NodeHealth> value) {
    return Gauge.builder(name, node, value).description(description).strongReference(true);
  }

  private void gauge(
      String name, String what, NodeHealth node, ToDoubleFunction<NodeHealth> value) {
    gaugeBuilder(name, what, node, value).register(registry);
  }

  private void seconds(
      String name, String what, NodeHealth node, ToDoubleFunction<NodeHealth> value) {
    gaugeBuilder(name, what, node, value).baseUnit("seconds").register(registry);
  }

  private static double seconds(Duration duration) {
    return duration.toNanos() / 1e9;
  }
}
