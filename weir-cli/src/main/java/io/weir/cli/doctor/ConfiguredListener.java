package io.weir.cli.doctor;

import io.weir.server.config.ServerConfig;
import io.weir.server.config.ServerSetting;
import io.weir.server.config.ServerSettings;
import java.util.List;
import java.util.OptionalInt;

/**
 * A listener of the server as configured.
 *
 * @param port empty if it is disabled
 */
record ConfiguredListener(String name, String host, OptionalInt port) {

  static List<ConfiguredListener> of(ServerConfig config) {
    boolean forwards =
        config.get(ServerSettings.UPSTREAM).isPresent()
            || !config.get(ServerSettings.ROUTES).isEmpty();
    ConfiguredListener gateway =
        of("gateway", config, ServerSettings.GATEWAY_HOST, ServerSettings.GATEWAY_PORT);
    return List.of(
        of("http", config, ServerSettings.HTTP_HOST, ServerSettings.HTTP_PORT),
        of("grpc", config, ServerSettings.GRPC_HOST, ServerSettings.GRPC_PORT),
        forwards ? gateway : new ConfiguredListener("gateway", gateway.host(), OptionalInt.empty()),
        of("admin", config, ServerSettings.ADMIN_HOST, ServerSettings.ADMIN_PORT));
  }

  private static ConfiguredListener of(
      String name,
      ServerConfig config,
      ServerSetting<String> host,
      ServerSetting<OptionalInt> port) {
    return new ConfiguredListener(name, config.get(host), config.get(port));
  }

  boolean isClosed() {
    return port.isEmpty();
  }
}
