package io.weir.client;

import io.weir.server.DecisionServer;
import io.weir.server.config.ServerConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** A Weir server in this process, whose decision API admits ten requests per hour and user. */
final class WeirTestServer {

  private WeirTestServer() {}

  /**
   * Starts a server.
   *
   * @param port the port of the decision API; 0 for any free port
   */
  static DecisionServer start(Path folder, int port) throws IOException {
    Path rules =
        Files.writeString(
            folder.resolve("rules.yaml"), "rules: [{id: api, per: [user], limit: 10/hour}]");
    return DecisionServer.start(
        ServerConfig.of(
            Map.of(
                "rules", "file:" + rules,
                "data", folder.toString(),
                "node", "test",
                "http-port", Integer.toString(port),
                "http-host", "127.0.0.1",
                "grpc-port", "off",
                "gateway-port", "off",
                "admin-port", "off")));
  }
}
