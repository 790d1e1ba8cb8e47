package io.weir.cli;

import io.weir.lab.ClockSkewExperiment;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code weir simulate skew}: the effect of wrong clocks on a shared counter. */
@Command(
    name = "skew",
    sortOptions = false,
    description = {
      "Simulates nodes with wrong clocks, and shows how many requests a shared counter admits.",
      "",
      "Once with the time of each node, once as in Weir with the time of the store. Each node gets, evenly",
      "spread, as many requests as the whole limit."
    },
    footer = {"  weir simulate skew --nodes 3 --limit 60 --skew 300ms"})
final class SimulateSkewCommand implements Callable<Integer> {
  @Mixin SharedLimitOptions sharedLimit = new SharedLimitOptions();

  @Option(
      names = "--skew",
      paramLabel = "TIME",
      defaultValue = "300ms",
      description = "Difference between the first and the last clock (${DEFAULT-VALUE}).")
  String skew = "300ms";

  @Mixin SimulationOutput output = new SimulationOutput();

  @Override
  public Integer call() throws Exception {
    return output.runAndPrint(
        () ->
            new ClockSkewExperiment(
                    sharedLimit.nodes, sharedLimit.limit, SimulationOutput.parseDuration(skew))
                .run());
  }
}
