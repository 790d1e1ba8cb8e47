package io.weir.server.cli;

import io.weir.lab.SyncExperiment;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** By how much nodes overrun a limit that reconcile now and then. */
@Command(
    name = "sync",
    sortOptions = false,
    description = {
      "Has nodes count together by reconciling every interval, and shows by how much they overrun.",
      "",
      "A fixed window of a second, of which each node is asked, evenly, for as many permits as all",
      "of them have. An interval of 0 asks the store each time: exact."
    },
    footer = {"  weir simulate sync --nodes 3 --limit 60 --interval 400ms"})
final class SimulateSyncCommand implements Callable<Integer> {
  @Mixin SharedLimitOptions sharedLimit = new SharedLimitOptions();

  @Option(
      names = "--interval",
      paramLabel = "TIME",
      defaultValue = "400ms",
      description = "How often they reconcile (${DEFAULT-VALUE}).")
  String interval = "400ms";

  @Mixin SimulationOutput output = new SimulationOutput();

  @Spec CommandSpec spec;

  @Override
  public Integer call() throws Exception {
    return output.runAndPrint(
        spec,
        () ->
            new SyncExperiment(
                    sharedLimit.nodes, sharedLimit.limit, SimulationOutput.parseDuration(interval))
                .run());
  }
}
