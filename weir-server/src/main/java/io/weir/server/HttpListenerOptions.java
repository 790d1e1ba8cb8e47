package io.weir.server;

import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.PemKeyCertOptions;
import io.weir.server.config.ServerConfig;
import io.weir.server.config.ServerSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Options shared by all listeners: limits on request size, the idle timeout, and TLS. */
final class HttpListenerOptions {
  private static final int MAX_HEADER_BYTES = 16 * 1024;
  private static final int MAX_REQUEST_LINE_BYTES = 8 * 1024;
  private static final Duration IDLE_TIMEOUT_MARGIN = Duration.ofSeconds(5);

  private HttpListenerOptions() {}

  /**
   * Same as {@link #of}, but with an idle timeout above the given response time, so that a
   * connection is not closed while its caller waits for a slow response.
   */
  static HttpServerOptions withMaxResponseTime(ServerConfig config, Duration maxResponseTime) {
    Duration minIdleTimeout = maxResponseTime.plus(IDLE_TIMEOUT_MARGIN);
    HttpServerOptions options = of(config);
    return minIdleTimeout.compareTo(config.get(ServerSettings.IDLE_TIMEOUT)) > 0
        ? options.setIdleTimeout((int) minIdleTimeout.toMillis())
        : options;
  }

  static HttpServerOptions of(ServerConfig config) {
    HttpServerOptions options =
        new HttpServerOptions()
            .setMaxHeaderSize(MAX_HEADER_BYTES)
            .setMaxInitialLineLength(MAX_REQUEST_LINE_BYTES)
            .setIdleTimeout((int) config.get(ServerSettings.IDLE_TIMEOUT).toMillis())
            .setIdleTimeoutUnit(TimeUnit.MILLISECONDS)
            // enabled, its handler inspects every request and fails on deep pipelines
            .setPerFrameWebSocketCompressionSupported(false)
            .setPerMessageWebSocketCompressionSupported(false);
    Optional<Path> cert = config.get(ServerSettings.TLS_CERT);
    Optional<Path> key = config.get(ServerSettings.TLS_KEY);
    if (cert.isPresent() != key.isPresent()) {
      throw new StartException("TLS requires both --tls-cert and --tls-key");
    }
    if (cert.isPresent() && key.isPresent()) {
      options
          .setSsl(true)
          .setUseAlpn(true)
          .setKeyCertOptions(
              new PemKeyCertOptions()
                  .setCertPath(cert.get().toString())
                  .setKeyPath(key.get().toString()));
    }
    return options;
  }
}
