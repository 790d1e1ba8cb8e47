/** Metrics of a server for Prometheus. */
package io.weir.admin.metrics;
