package io.weir.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.lab.TraceExperiment;
import io.weir.lab.TraceLine;
import io.weir.rule.Rate;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weir simulate trace}: replays recorded requests against all algorithms. */
@Command(
    name = "trace",
    sortOptions = false,
    description = {
      "Replays recorded requests against all five algorithms, side by side.",
      "",
      "Each line of the file is time,key,cost: seconds or a date, the key to limit, and the number of",
      "permits (1 if omitted). A header line is skipped."
    },
    footer = {
      "  weir simulate trace requests.csv --limit 10/second --burst 20",
      "  cut -d, -f1,3 access.csv | weir simulate trace - --limit 100/minute --plot trace.svg"
    })
final class SimulateTraceCommand implements Callable<Integer> {
  @Parameters(paramLabel = "FILE", description = "Trace file; - reads standard input.")
  Path file = Path.of("-");

  @Option(
      names = "--limit",
      paramLabel = "RATE",
      defaultValue = "10/second",
      description = "Limit of each key (${DEFAULT-VALUE}).")
  String limit = "10/second";

  @Option(
      names = "--burst",
      paramLabel = "N",
      defaultValue = "0",
      description = "Size of the buckets; by default that of the limit.")
  long burst;

  @Mixin SimulationOutput output = new SimulationOutput();

  @Override
  public Integer call() throws Exception {
    List<String> lines =
        new String(new RulesFileArgument(file).readBytes(), UTF_8).lines().toList();
    return output.runAndPrint(
        () -> new TraceExperiment(TraceLine.read(lines), Rate.parse(limit), burst).run());
  }
}
