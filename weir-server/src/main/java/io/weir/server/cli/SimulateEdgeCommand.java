package io.weir.server.cli;

import io.weir.lab.WindowEdgeExperiment;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The attack on the edge of a window. */
@Command(
    name = "edge",
    sortOptions = false,
    description = {
      "Asks for the whole limit late in one window, and again as the next one begins.",
      "",
      "A fixed window admits both: twice the limit in the gap between. The table shows what the",
      "other algorithms admit of the same."
    },
    footer = {"  weir simulate edge --limit 100 --window 1m --position 0.99"})
final class SimulateEdgeCommand implements Callable<Integer> {
  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "100",
      description = "Permits in a window (${DEFAULT-VALUE}).")
  long limit = 100;

  @Option(
      names = "--window",
      paramLabel = "TIME",
      defaultValue = "1m",
      description = "How long a window is (${DEFAULT-VALUE}).")
  String window = "1m";

  @Option(
      names = "--position",
      paramLabel = "PART",
      defaultValue = "0.9",
      description = "Where in its window the first burst comes, 0 to 1 (${DEFAULT-VALUE}).")
  double position = 0.9;

  @Mixin SimulationOutput output = new SimulationOutput();

  @Spec CommandSpec spec;

  @Override
  public Integer call() throws Exception {
    return output.runAndPrint(
        spec,
        () ->
            new WindowEdgeExperiment(limit, SimulationOutput.parseDuration(window), position)
                .run());
  }
}
