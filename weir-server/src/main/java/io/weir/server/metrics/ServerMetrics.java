package io.weir.server.metrics;

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

/**
 * The metrics of a server: those of its node and of its JVM, on the page Prometheus reads.
 *
 * <p>Safe for any number of threads.
 */
public final class ServerMetrics implements AutoCloseable {
  /** What {@link #scrape} is, as an HTTP header says it. */
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

  ServerMetrics(Clock clock, int mostRules) {
    nodeMetrics = new NodeMetrics(registry, clock, mostRules);
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

  /** Counts decisions, and has their time told. */
  public DecisionMetrics decisionMetrics() {
    return nodeMetrics.decisions();
  }

  /** Counts what the store answers, and what not. */
  public StoreListener storeListener() {
    return nodeMetrics.store();
  }

  /** Counts changes of the rules that are refused. */
  public RulesListener rulesListener() {
    return nodeMetrics.rules();
  }

  /** Shows how the node fares from now on; once. */
  public void bindNode(NodeHealth node) {
    boundNode = node;
    nodeMetrics.registerGauges(node);
  }

  /** Has something brought up to date before each page; once. */
  public void beforeScrape(Runnable step) {
    beforeScrape = step;
  }

  /** The page Prometheus reads. */
  public String scrape() {
    beforeScrape.run();
    NodeHealth node = boundNode;
    if (node != null) {
      nodeMetrics.refresh(node);
    }
    return registry.scrape();
  }

  /** Where other parts of the node register theirs. */
  public MeterRegistry registry() {
    return registry;
  }

  @Override
  public void close() {
    gcMetrics.close();
    registry.close();
  }
}
