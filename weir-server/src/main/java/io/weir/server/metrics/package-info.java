/** What a node counts and measures, for Prometheus. */
package io.weir.server.metrics;
