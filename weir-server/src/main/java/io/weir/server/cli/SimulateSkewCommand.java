package io.weir.server.cli;

import io.weir.lab.ClockSkewExperiment;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** What wrong clocks do to a shared counter. */
@Command(
    name = "skew",
    sortOptions = false,
    description = {
      "Gives nodes wrong clocks, and shows what a shared counter admits.",
      "",
      "Once as if each node told the counter its own time, once as in Weir, where the store's time",
      "counts. Each node is asked, evenly, for the whole limit."
    },
    footer = {"  weir simulate skew --nodes 3 --limit 60 --skew 300ms"})
final class SimulateSkewCommand implements Callable<Integer> {
  @Mixin SharedLimitOptions sharedLimit = new SharedLimitOptions();

  @Option(
      names = "--skew",
      paramLabel = "TIME",
      defaultValue = "300ms",
      description = "How far the clocks are apart, the first to the last (${DEFAULT-VALUE}).")
  String skew = "300ms";

  @Mixin SimulationOutput output = new SimulationOutput();

  @Spec CommandSpec spec;

  @Override
  public Integer call() throws Exception {
    return output.runAndPrint(
        spec,
        () ->
            new ClockSkewExperiment(
                    sharedLimit.nodes, sharedLimit.limit, SimulationOutput.parseDuration(skew))
                .run());
  }
}
