package io.weir.admin.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.weir.metrics.DecisionMetrics;
import io.weir.metrics.NodeHealth;
import io.weir.metrics.NodeMetrics;
import io.weir.rules.RulesListener;
import io.weir.store.Clock;
import io.weir.store.StoreListener;
import org.jspecify.annotations.Nullable;

/** The metrics of a server: its node and its JVM, in the Prometheus text format. Thread-safe. */
public final class ServerMetrics implements AutoCloseable {
  /** The content type of {@link #scrape}. */
  public static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final NodeMetrics nodeMetrics;
  private final JvmGcMetrics gcMetrics = new JvmGcMetrics();
  private volatile @Nullable NodeHealth boundNode;
  private volatile Runnable beforeScrape = () -> {};

  public ServerMetrics(Clock clock) {
    nodeMetrics = new NodeMetrics(registry, clock);
    bindJvm();
  }

  ServerMetrics(Clock clock, int maxRules) {
    nodeMetrics = new NodeMetrics(registry, clock, maxRules);
    bindJvm();
  }

  private void bindJvm() {
    gcMetrics.bindTo(registry);
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    new UptimeMetrics().bindTo(registry);
    new FileDescriptorMetrics().bindTo(registry);
  }

  /** Returns the meters for the number and latency of decisions. */
  public DecisionMetrics decisionMetrics() {
    return nodeMetrics.decisions();
  }

  /** Returns the listener that counts store replies and failures. */
  public StoreListener storeListener() {
    return nodeMetrics.store();
  }

  /** Returns the listener that counts rejected rule changes. */
  public RulesListener rulesListener() {
    return nodeMetrics.rules();
  }

  /** Adds the health of the node to the metrics; must be called at most once. */
  public void bindNode(NodeHealth node) {
    boundNode = node;
    nodeMetrics.registerGauges(node);
  }

  /** Sets an action to run before each scrape; must be called at most once. */
  public void beforeScrape(Runnable action) {
    beforeScrape = action;
  }

  /** Returns the metrics in the Prometheus text format. */
  public String scrape() {
    beforeScrape.run();
    NodeHealth node = boundNode;
    if (node != null) {
      nodeMetrics.refresh(node);
    }
    return registry.scrape();
  }

  /** Returns the registry for the metrics of other components. */
  public MeterRegistry registry() {
    return registry;
  }

  @Override
  public void close() {
    gcMetrics.close();
    registry.close();
  }
}
