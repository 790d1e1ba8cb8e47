package io.weir.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.weir.rules.RulesListener;
import io.weir.store.Clock;
import io.weir.store.StoreListener;
import java.time.Duration;
import java.util.function.ToDoubleFunction;

/**
 * The meters of a node: listeners for what counts, gauges for how it fares. The number of series
 * depends on the rules alone, whatever callers send.
 *
 * <pre>{@code
 * NodeMetrics metrics = new NodeMetrics(registry, Clock.system());
 * rules = FileRules.open(file, metrics.rules());
 * store = RedisStore.at(url).listener(metrics.store()).open();
 * limiter = Weir.limiter(rules).store(store).listener(metrics.decisions()).build();
 * metrics.watch(Vitals.of(rules, store));
 * }</pre>
 *
 * <p>Safe for any number of threads.
 */
public final class NodeMetrics {
  private static final int DEFAULT_MAX_RULES = 1000;

  private final MeterRegistry registry;
  private final Clock clock;
  private final DecisionMetrics decisions;
  private final StoreMetrics store;
  private final Counter rejectedChanges;
  private final TaskMetrics tasks;

  public NodeMetrics(MeterRegistry registry, Clock clock) {
    this(registry, clock, DEFAULT_MAX_RULES);
  }

  /**
   * @param mostRules how many rules have counters of their own; further ones share some
   */
  public NodeMetrics(MeterRegistry registry, Clock clock, int mostRules) {
    this.registry = registry;
    this.clock = clock;
    decisions = new DecisionMetrics(registry, clock, mostRules);
    store = new StoreMetrics(registry);
    tasks = new TaskMetrics(registry);
    rejectedChanges =
        Counter.builder("weir.rules.rejected")
            .description("Changes of the rules that were refused")
            .register(registry);
  }

  /** Counts decisions, and has their time told. */
  public DecisionMetrics decisions() {
    return decisions;
  }

  /** Counts what the store answers, and what not. */
  public StoreListener store() {
    return store;
  }

  /** Counts changes of the rules that are refused. */
  public RulesListener rules() {
    return new RulesListener() {
      @Override
      public void rejected(String reason) {
        rejectedChanges.increment();
      }
    };
  }

  /**
   * Has meters for the background tasks that run, and counters for the rules in force but none for
   * those that have long not been.
   */
  public void refresh(NodeHealth node) {
    tasks.registerNewTasks();
    decisions.ruleMeters().update(node.rules(), node.storeHealth().nodes(), clock.micros());
  }

  /** Shows how the node fares from now on; once. */
  public void registerGauges(NodeHealth node) {
    tasks.registerNewTasks();
    gauge("weir.rules.revision", "Which rules are in force", node, v -> v.rules().revision());
    seconds(
        "weir.rules.stale",
        "For how long the rules have not been what their source says",
        node,
        v -> seconds(v.rulesStaleness()));
    gauge(
        "weir.rules.writable",
        "0 while changes of the rules cannot be written",
        node,
        v -> v.rulesWriteFailure().isEmpty() ? 1 : 0);
    seconds(
        "weir.clock.drift",
        "How far the store's clock is ahead of this node's",
        node,
        v -> seconds(v.storeHealth().clockDrift()));
    gauge(
        "weir.store.available",
        "1 while the store is asked and answers",
        node,
        v -> v.storeHealth().available() ? 1 : 0);
    gauge("weir.nodes", "Nodes that share the store", node, v -> v.storeHealth().nodes());
    gauge(
        "weir.leased.permits",
        "Permits borrowed of leased rules and not spent",
        node,
        v -> v.storeHealth().leasedPermits());
    gauge(
        "weir.untold.permits",
        "Permits admitted under synced rules that the store has not been told of yet",
        node,
        v -> v.storeHealth().unsyncedPermits());
    gauge(
        "weir.reservations.pending",
        "Refunds and settled reservations that wait for a store that is unavailable",
        node,
        NodeHealth::pendingSettlements);
    seconds(
        "weir.synced.lag",
        "By how much reporting of synced counters is behind its interval",
        node,
        v -> seconds(v.storeHealth().syncLag()));
  }

  private static Gauge.Builder<NodeHealth> gaugeBuilder(
      String name, String what, NodeHealth node, ToDoubleFunction<NodeHealth> value) {
    return Gauge.builder(name, node, value).description(what).strongReference(true);
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
