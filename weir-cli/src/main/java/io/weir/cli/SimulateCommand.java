package io.weir.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code weir simulate}: the group of commands that run simulations. */
@Command(
    name = "simulate",
    synopsisSubcommandLabel = "COMMAND",
    description = {
      "Simulates how limits behave, with the production code and a simulated clock.",
      "",
      "Needs no server and finishes at once; docs/guide/simulator.md explains the results."
    },
    footer = {
      "  weir simulate edge --limit 100 --position 0.99",
      "  weir simulate sync --nodes 3 --limit 60 --interval 400ms --plot sync.svg",
      "  weir simulate trace requests.csv --limit 10/second --plot trace.html",
      "  weir simulate rules rules.yaml --log access.log.gz"
    },
    exitCodeList = {"0:success", "1:error"})
final class SimulateCommand {

  private SimulateCommand() {}

  static CommandLine commandLine() {
    return new CommandLine(new SimulateCommand())
        .addSubcommand(new SimulateEdgeCommand())
        .addSubcommand(new SimulateSyncCommand())
        .addSubcommand(new SimulateSkewCommand())
        .addSubcommand(new SimulateBurstCommand())
        .addSubcommand(new SimulateTraceCommand())
        .addSubcommand(new SimulateRulesCommand());
  }
}
