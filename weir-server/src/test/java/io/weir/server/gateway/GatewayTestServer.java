package io.weir.server.gateway;

import io.weir.server.RunningServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;

/** Servers of tests with their gateway open. */
final class GatewayTestServer {
  private GatewayTestServer() {}

  /** Starts one, with a folder of its own. */
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
