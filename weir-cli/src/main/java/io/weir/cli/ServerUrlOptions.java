package io.weir.cli;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that select a running server. */
final class ServerUrlOptions {
  @Option(
      names = "--server",
      paramLabel = "URL",
      description = "URL of the server (${DEFAULT-VALUE}).",
      defaultValue = "http://127.0.0.1:8080")
  String server = "";

  @Option(
      names = "--ca",
      paramLabel = "FILE",
      description = "Trusted certificates (PEM), for a server with a private CA.")
  @Nullable Path caFile;

  ServerHttpClient client() {
    return ServerHttpClient.create(server, caFile);
  }
}
