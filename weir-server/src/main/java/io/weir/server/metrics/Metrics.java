package io.weir.server.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.weir.rules.RulesListener;
import io.weir.store.Clock;
import io.weir.store.StoreListener;
import java.time.Duration;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The metrics of a node: listeners for what counts, gauges for how it fares, and the page
 * Prometheus reads. The number of series depends on the rules alone, whatever callers send.
 *
 * <pre>{@code
 * Metrics metrics = new Metrics(Clock.system());
 * rules = FileRules.open(file, metrics.rules());
 * store = RedisStore.at(url).listener(metrics.store()).open();
 * limiter = Weir.limiter(rules).store(store).listener(metrics.decisions()).build();
 * metrics.watch(vitals);
 * }</pre>
 *
 * <p>Safe for any number of threads.
 */
public final class Metrics implements AutoCloseable {
  /** What {@link #scrape} is, as an HTTP header says it. */
  public static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

  private static final int MOST_RULES = 1000;

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final Clock clock;
  private final DecisionMetrics decisions;
  private final StoreMetrics store;
  private final Counter rejected;
  private final JvmGcMetrics collections = new JvmGcMetrics();
  private volatile @Nullable Vitals vitals;

  public Metrics(Clock clock) {
    this(clock, MOST_RULES);
  }

  Metrics(Clock clock, int mostRules) {
    this.clock = clock;
    decisions = new DecisionMetrics(registry, clock, mostRules);
    store = new StoreMetrics(registry);
    rejected =
        Counter.builder("weir.rules.rejected")
            .description("Changes of the rules that were refused")
            .register(registry);
    collections.bindTo(registry);
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    new UptimeMetrics().bindTo(registry);
    new FileDescriptorMetrics().bindTo(registry);
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
        rejected.increment();
      }
    };
  }

  /** Shows how the node fares from now on; once. */
  public void watch(Vitals node) {
    vitals = node;
    gauge("weir.rules.revision", "Which rules are in force", node, v -> v.rules().revision());
    seconds(
        "weir.rules.stale",
        "For how long the rules have not been what their source says",
        node,
        v -> seconds(v.stale()));
    seconds(
        "weir.clock.drift",
        "How far the store's clock is ahead of this node's",
        node,
        v -> seconds(v.store().drift()));
    gauge(
        "weir.store.available",
        "1 while the store is asked and answers",
        node,
        v -> v.store().available() ? 1 : 0);
  }

  /** The page Prometheus reads. */
  public String scrape() {
    Vitals node = vitals;
    if (node != null) {
      decisions.rules().follow(node.rules(), clock.micros());
    }
    return registry.scrape();
  }

  /** Where other parts of the node register theirs. */
  public MeterRegistry registry() {
    return registry;
  }

  private Gauge.Builder<Vitals> describe(
      String name, String what, Vitals node, ToDoubleFunction<Vitals> value) {
    return Gauge.builder(name, node, value).description(what).strongReference(true);
  }

  private void gauge(String name, String what, Vitals node, ToDoubleFunction<Vitals> value) {
    describe(name, what, node, value).register(registry);
  }

  private void seconds(String name, String what, Vitals node, ToDoubleFunction<Vitals> value) {
    describe(name, what, node, value).baseUnit("seconds").register(registry);
  }

  private static double seconds(Duration duration) {
    return duration.toNanos() / 1e9;
  }

  @Override
  public void close() {
    collections.close();
    registry.close();
  }
}
