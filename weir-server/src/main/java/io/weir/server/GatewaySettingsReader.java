package io.weir.server;

import io.micrometer.core.instrument.MeterRegistry;
import io.weir.gateway.GatewaySettings;
import io.weir.gateway.UpstreamSettings;
import io.weir.gateway.log.AccessLog;
import io.weir.server.config.ServerConfig;
import io.weir.server.config.ServerSettings;
import io.weir.store.Clock;
import io.weir.web.LineWriter;
import java.util.Optional;

/** Reads the gateway's settings from the server's configuration. */
final class GatewaySettingsReader {
  private GatewaySettingsReader() {}

  /** Reads the settings; divides the limits per upstream by the number of event loops. */
  static GatewaySettings read(ServerConfig config, int loops) {
    return new GatewaySettings(
        config.get(ServerSettings.UPSTREAM),
        config.get(ServerSettings.ROUTES),
        config.get(ServerSettings.KEEP_HOST),
        config.get(ServerSettings.MAX_WAITING),
        config.get(ServerSettings.REASON_HEADER),
        new UpstreamSettings(
            config.get(ServerSettings.CONNECT_TIMEOUT).toMillis(),
            config.get(ServerSettings.UPSTREAM_TIMEOUT).toMillis(),
            config.get(ServerSettings.REQUEST_TIMEOUT).toMillis(),
            perEventLoop(config.get(ServerSettings.UPSTREAM_CONNECTIONS), loops),
            perEventLoop(config.get(ServerSettings.MAX_WEBSOCKETS), loops),
            perEventLoop(config.get(ServerSettings.MAX_WAITING), loops),
            config.get(ServerSettings.UPSTREAM_CA)));
  }

  /**
   * Opens the access log; empty if it is off.
   *
   * @throws IllegalArgumentException if its target cannot be written
   */
  static Optional<AccessLog> openAccessLog(ServerConfig config, MeterRegistry registry) {
    return config
        .get(ServerSettings.ACCESS_LOG)
        .map(
            format ->
                new AccessLog(
                    LineWriter.open("access log", config.get(ServerSettings.ACCESS_LOG_TARGET)),
                    format,
                    config.get(ServerSettings.ACCESS_LOG_SAMPLE),
                    registry,
                    Clock.system()));
  }

  private static int perEventLoop(int total, int loops) {
    return Math.max(1, (total + loops - 1) / loops);
  }
}
