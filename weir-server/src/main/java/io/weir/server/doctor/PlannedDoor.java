package io.weir.server.doctor;

import io.weir.server.config.Config;
import io.weir.server.config.Setting;
import io.weir.server.config.Settings;
import java.util.List;
import java.util.OptionalInt;

/**
 * A door as the settings have it.
 *
 * @param port empty if it stays closed
 */
record PlannedDoor(String name, String host, OptionalInt port) {

  static List<PlannedDoor> of(Config config) {
    boolean forwards =
        config.get(Settings.UPSTREAM).isPresent() || !config.get(Settings.ROUTES).isEmpty();
    PlannedDoor gateway = of("gateway", config, Settings.GATEWAY_HOST, Settings.GATEWAY_PORT);
    return List.of(
        of("http", config, Settings.HTTP_HOST, Settings.HTTP_PORT),
        of("grpc", config, Settings.GRPC_HOST, Settings.GRPC_PORT),
        forwards ? gateway : new PlannedDoor("gateway", gateway.host(), OptionalInt.empty()),
        of("admin", config, Settings.ADMIN_HOST, Settings.ADMIN_PORT));
  }

  private static PlannedDoor of(
      String name, Config config, Setting<String> host, Setting<OptionalInt> port) {
    return new PlannedDoor(name, config.get(host), config.get(port));
  }

  boolean isClosed() {
    return port.isEmpty();
  }
}
