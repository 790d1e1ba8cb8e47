package io.weir.cli;

import io.weir.lab.BurstExperiment;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code weir simulate burst}: one burst on a token bucket and on a leaky bucket. */
@Command(
    name = "burst",
    sortOptions = false,
    description = {
      "Sends one burst to a token bucket and to a leaky bucket.",
      "",
      "Both admit the same number: the token bucket at once, the leaky bucket at its rate."
    },
    footer = {"  weir simulate burst --limit 100 --burst 50 --requests 80"})
final class SimulateBurstCommand implements Callable<Integer> {
  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "100",
      description = "Permits per second (${DEFAULT-VALUE}).")
  long limit = 100;

  @Option(
      names = "--burst",
      paramLabel = "N",
      defaultValue = "50",
      description = "Size of the bucket and of the queue (${DEFAULT-VALUE}).")
  long burst = 50;

  @Option(
      names = "--requests",
      paramLabel = "N",
      defaultValue = "80",
      description = "Number of simultaneous requests (${DEFAULT-VALUE}).")
  long requests = 80;

  @Mixin SimulationOutput output = new SimulationOutput();

  @Override
  public Integer call() throws Exception {
    return output.runAndPrint(() -> new BurstExperiment(limit, burst, requests).run());
  }
}
