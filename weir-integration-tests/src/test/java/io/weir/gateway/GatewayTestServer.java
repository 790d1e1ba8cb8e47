package io.weir.gateway;

import io.weir.server.RunningServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;

/** Starts servers for tests with an open gateway listener. */
final class GatewayTestServer {
  private GatewayTestServer() {}

  /** Starts a server with a directory of its own. */
  static RunningServer start(Path folder, String rules, String... flags) {
    try {
      Path own = Files.createTempDirectory(folder, "gateway");
      String[] open = {"gateway-port", "0", "gateway-host", "127.0.0.1"};
      return RunningServer.start(
          own,
          rules,
          Stream.concat(Arrays.stream(open), Arrays.stream(flags)).toArray(String[]::new));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
