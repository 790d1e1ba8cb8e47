package io.weir.server;

import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.PemKeyCertOptions;
import io.weir.server.config.ServerConfig;
import io.weir.server.config.ServerSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** What all doors have in common: bounds on what a caller may send, and TLS. */
final class HttpListenerOptions {
  private static final int MAX_HEADER_BYTES = 16 * 1024;
  private static final int MAX_REQUEST_LINE_BYTES = 8 * 1024;
  private static final Duration IDLE_TIMEOUT_MARGIN = Duration.ofSeconds(5);

  private HttpListenerOptions() {}

  /** As {@link #of}, with answers that may take so long while the connection is silent. */
  static HttpServerOptions withMaxResponseTime(ServerConfig config, Duration answer) {
    Duration least = answer.plus(IDLE_TIMEOUT_MARGIN);
    HttpServerOptions options = of(config);
    return least.compareTo(config.get(ServerSettings.IDLE_TIMEOUT)) > 0
        ? options.setIdleTimeout((int) least.toMillis())
        : options;
  }

  static HttpServerOptions of(ServerConfig config) {
    HttpServerOptions options =
        new HttpServerOptions()
            .setMaxHeaderSize(MAX_HEADER_BYTES)
            .setMaxInitialLineLength(MAX_REQUEST_LINE_BYTES)
            .setIdleTimeout((int) config.get(ServerSettings.IDLE_TIMEOUT).toMillis())
            .setIdleTimeoutUnit(TimeUnit.MILLISECONDS)
            // else a handler for it looks at every request, and gives up on deep pipelines
            .setPerFrameWebSocketCompressionSupported(false)
            .setPerMessageWebSocketCompressionSupported(false);
    Optional<Path> cert = config.get(ServerSettings.TLS_CERT);
    Optional<Path> key = config.get(ServerSettings.TLS_KEY);
    if (cert.isPresent() != key.isPresent()) {
      throw new StartException("TLS takes both; write --tls-cert and --tls-key");
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
