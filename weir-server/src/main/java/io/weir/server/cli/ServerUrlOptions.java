package io.weir.server.cli;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which running server a command speaks to. */
final class ServerUrlOptions {
  @Option(
      names = "--server",
      paramLabel = "URL",
      description = "The server to ask (${DEFAULT-VALUE}).",
      defaultValue = "http://127.0.0.1:8080")
  String server = "";

  @Option(
      names = "--ca",
      paramLabel = "FILE",
      description = "Certificates in PEM to trust, for a server with one of its own.")
  @Nullable Path caFile;

  ServerHttpClient client() {
    return ServerHttpClient.create(server, caFile);
  }
}
