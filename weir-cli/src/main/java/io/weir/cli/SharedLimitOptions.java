package io.weir.cli;

import picocli.CommandLine.Option;

/** The options of simulations with nodes that share a limit. */
final class SharedLimitOptions {
  @Option(
      names = "--nodes",
      paramLabel = "N",
      defaultValue = "3",
      description = "Number of nodes that share the limit (${DEFAULT-VALUE}).")
  int nodes = 3;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "60",
      description = "Permits per second for all nodes together (${DEFAULT-VALUE}).")
  long limit = 60;
}
