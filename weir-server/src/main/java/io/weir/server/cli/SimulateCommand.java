package io.weir.server.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The lab on the command line. */
@Command(
    name = "simulate",
    synopsisSubcommandLabel = "COMMAND",
    description = {
      "Shows how limits behave: the classes that enforce them, under time that moves when told.",
      "",
      "Asks no server and takes no time to speak of; docs/lab.md says what to look for."
    },
    footer = {
      "  weir simulate edge --limit 100 --position 0.99",
      "  weir simulate sync --nodes 3 --limit 60 --interval 400ms --plot sync.svg",
      "  weir simulate trace requests.csv --limit 10/second --plot trace.html"
    },
    exitCodeList = {"0:shown", "1:something is wrong, said in one line"})
final class SimulateCommand {

  private SimulateCommand() {}

  static CommandLine commandLine() {
    return new CommandLine(new SimulateCommand())
        .addSubcommand(new SimulateEdgeCommand())
        .addSubcommand(new SimulateSyncCommand())
        .addSubcommand(new SimulateSkewCommand())
        .addSubcommand(new SimulateBurstCommand())
        .addSubcommand(new SimulateTraceCommand());
  }
}
