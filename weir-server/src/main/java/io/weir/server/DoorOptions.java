package io.weir.server;

import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.PemKeyCertOptions;
import io.weir.server.config.Config;
import io.weir.server.config.Settings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** What all doors have in common: bounds on what a caller may send, and TLS. */
final class DoorOptions {
  private static final int MAX_HEADER_BYTES = 16 * 1024;
  private static final int MAX_LINE_BYTES = 8 * 1024;
  private static final Duration MARGIN = Duration.ofSeconds(5);

  private DoorOptions() {}

  /** As {@link #of}, with answers that may take so long while the connection is silent. */
  static HttpServerOptions patient(Config config, Duration answer) {
    Duration least = answer.plus(MARGIN);
    HttpServerOptions options = of(config);
    return least.compareTo(config.get(Settings.IDLE_TIMEOUT)) > 0
        ? options.setIdleTimeout((int) least.toMillis())
        : options;
  }

  static HttpServerOptions of(Config config) {
    HttpServerOptions options =
        new HttpServerOptions()
            .setMaxHeaderSize(MAX_HEADER_BYTES)
            .setMaxInitialLineLength(MAX_LINE_BYTES)
            .setIdleTimeout((int) config.get(Settings.IDLE_TIMEOUT).toMillis())
            .setIdleTimeoutUnit(TimeUnit.MILLISECONDS)
            // else a handler for it looks at every request, and gives up on deep pipelines
            .setPerFrameWebSocketCompressionSupported(false)
            .setPerMessageWebSocketCompressionSupported(false);
    Optional<Path> cert = config.get(Settings.TLS_CERT);
    Optional<Path> key = config.get(Settings.TLS_KEY);
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
