package io.weir.cli;

import io.weir.lab.WindowEdgeExperiment;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code weir simulate edge}: two bursts around the boundary of a window. */
@Command(
    name = "edge",
    sortOptions = false,
    description = {
      "Requests the whole limit late in one window, and again at the start of the next.",
      "",
      "A fixed window admits both: twice the limit within a short time. The table shows how many the",
      "other algorithms admit."
    },
    footer = {"  weir simulate edge --limit 100 --window 1m --position 0.99"})
final class SimulateEdgeCommand implements Callable<Integer> {
  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "100",
      description = "Permits per window (${DEFAULT-VALUE}).")
  long limit = 100;

  @Option(
      names = "--window",
      paramLabel = "TIME",
      defaultValue = "1m",
      description = "Length of a window (${DEFAULT-VALUE}).")
  String window = "1m";

  @Option(
      names = "--position",
      paramLabel = "PART",
      defaultValue = "0.9",
      description = "Position of the first burst in its window, 0 to 1 (${DEFAULT-VALUE}).")
  double position = 0.9;

  @Mixin SimulationOutput output = new SimulationOutput();

  @Override
  public Integer call() throws Exception {
    return output.runAndPrint(
        () ->
            new WindowEdgeExperiment(limit, SimulationOutput.parseDuration(window), position)
                .run());
  }
}
