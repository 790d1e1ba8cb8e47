package io.weir.gateway;

import io.weir.gateway.routing.RouteTarget;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Timeouts and connection limits of the gateway towards its upstreams, and the certificates it
 * trusts. Timeouts are in milliseconds; limits are per event loop and upstream.
 *
 * @param connectTimeoutMillis the timeout of obtaining a connection, including the time in the
 *     pool's queue
 * @param upstreamTimeoutMillis the time an upstream may be silent
 * @param callerTimeoutMillis the time in which a caller must send or read at {@link
 *     #MIN_BYTES_PER_SECOND}
 * @param maxConnections the maximum number of connections
 * @param maxWebSockets the maximum number of WebSockets
 * @param maxWaitingRequests the maximum number of requests that wait for a connection
 * @param trustedCertificates PEM file of the CA certificates for upstreams; the JDK's if empty
 */
public record UpstreamSettings(
    long connectTimeoutMillis,
    long upstreamTimeoutMillis,
    long callerTimeoutMillis,
    int maxConnections,
    int maxWebSockets,
    int maxWaitingRequests,
    Optional<Path> trustedCertificates) {
  /** The minimum rate of a caller in bytes per second; slower callers are disconnected. */
  static final int MIN_BYTES_PER_SECOND = 256;

  /** The same settings with the timeouts of a route, if it has its own. */
  UpstreamSettings forRoute(RouteTarget target) {
    return new UpstreamSettings(
        target.connectTimeout().map(Duration::toMillis).orElse(connectTimeoutMillis),
        target.upstreamTimeout().map(Duration::toMillis).orElse(upstreamTimeoutMillis),
        callerTimeoutMillis,
        maxConnections,
        maxWebSockets,
        maxWaitingRequests,
        trustedCertificates);
  }

  /** The number of bytes a caller must send or read within {@link #callerTimeoutMillis}. */
  long minBytesPerTimeout() {
    return MIN_BYTES_PER_SECOND * callerTimeoutMillis / 1000;
  }
}
