package io.weir.server.cli;

import picocli.CommandLine.Option;

/** Nodes that share a limit, as the lab's commands are told of them. */
final class SharedLimitOptions {
  @Option(
      names = "--nodes",
      paramLabel = "N",
      defaultValue = "3",
      description = "How many nodes share the limit (${DEFAULT-VALUE}).")
  int nodes = 3;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "60",
      description = "Permits a second, for all nodes together (${DEFAULT-VALUE}).")
  long limit = 60;
}
