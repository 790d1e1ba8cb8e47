package io.weir.server.gateway;

import io.weir.server.config.ServerConfig;
import io.weir.server.config.ServerSettings;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What bounds the gateway, in milliseconds and numbers of one event loop, and whom it trusts.
 *
 * @param connectTimeoutMillis to have a connection to an upstream, waiting for one included
 * @param upstreamTimeoutMillis an upstream may be silent
 * @param callerTimeoutMillis in which a caller must send or take {@link #MIN_BYTES_PER_SECOND}
 * @param maxConnections to each upstream
 * @param maxWebSockets WebSockets to each upstream
 * @param maxWaitingRequests requests for a connection to each upstream
 * @param trustedCertificates who may have signed the certificates of upstreams; the JDK's if not
 *     said
 */
record UpstreamSettings(
    long connectTimeoutMillis,
    long upstreamTimeoutMillis,
    long callerTimeoutMillis,
    int maxConnections,
    int maxWebSockets,
    int maxWaitingRequests,
    Optional<Path> trustedCertificates) {
  /** The bytes per second below which a caller that is waited for is given up. */
  static final int MIN_BYTES_PER_SECOND = 256;

  /** A share of the limits for one of so many event loops. */
  static UpstreamSettings of(ServerConfig config, int loops) {
    return new UpstreamSettings(
        config.get(ServerSettings.CONNECT_TIMEOUT).toMillis(),
        config.get(ServerSettings.UPSTREAM_TIMEOUT).toMillis(),
        config.get(ServerSettings.REQUEST_TIMEOUT).toMillis(),
        perEventLoop(config.get(ServerSettings.UPSTREAM_CONNECTIONS), loops),
        perEventLoop(config.get(ServerSettings.MAX_WEBSOCKETS), loops),
        perEventLoop(config.get(ServerSettings.MAX_WAITING), loops),
        config.get(ServerSettings.UPSTREAM_CA));
  }

  private static int perEventLoop(int all, int loops) {
    return Math.max(1, (all + loops - 1) / loops);
  }

  /** The bytes a caller must move in one {@link #callerTimeoutMillis}. */
  long minBytesPerTimeout() {
    return MIN_BYTES_PER_SECOND * callerTimeoutMillis / 1000;
  }
}
