package io.weir.cli;

import io.weir.lab.SyncExperiment;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code weir simulate sync}: by how much nodes that sync periodically exceed a limit. */
@Command(
    name = "sync",
    sortOptions = false,
    description = {
      "Simulates nodes that sync at an interval, and shows by how much they exceed the limit.",
      "",
      "The limit is a fixed window of one second. Each node gets, evenly spread, as many requests as the",
      "whole limit. With an interval of 0 every request asks the store, which is exact."
    },
    footer = {"  weir simulate sync --nodes 3 --limit 60 --interval 400ms"})
final class SimulateSyncCommand implements Callable<Integer> {
  @Mixin SharedLimitOptions sharedLimit = new SharedLimitOptions();

  @Option(
      names = "--interval",
      paramLabel = "TIME",
      defaultValue = "400ms",
      description = "Time between syncs (${DEFAULT-VALUE}).")
  String interval = "400ms";

  @Mixin SimulationOutput output = new SimulationOutput();

  @Override
  public Integer call() throws Exception {
    return output.runAndPrint(
        () ->
            new SyncExperiment(
                    sharedLimit.nodes, sharedLimit.limit, SimulationOutput.parseDuration(interval))
                .run());
  }
}
