package io.weir.cli;

import io.weir.cli.accesslog.AccessLog;
import io.weir.rule.Rule;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weir simulate rules}: replays an access log under a file of rules. */
@Command(
    name = "rules",
    sortOptions = false,
    description = {
      "Replays an access log under your rules, and prints what each rule would have refused, whom",
      "and when.",
      "",
      "The log is CSV with a header, the common or combined log format, or one JSON object per line,",
      "also compressed with gzip. It is read line by line, so its size does not matter. Fields named",
      "like attributes (ip, user, method, path, host, endpoint, cost) or as web servers name them",
      "(remote_addr, request_uri, …) are recognized; all others are attributes by their own names.",
      "Counters start fresh. A request that one rule refuses is not charged to the others."
    },
    footer = {
      "  weir simulate rules rules.yaml --log access.csv",
      "  weir simulate rules rules.yaml --log access.log.gz --set tier=free --plot refused.html"
    })
final class SimulateRulesCommand implements Callable<Integer> {
  @Parameters(paramLabel = "FILE", description = RulesFileArgument.DESCRIPTION)
  Path rulesFile = Path.of("-");

  @Option(
      names = "--log",
      paramLabel = "LOG",
      required = true,
      description = "Access log; - reads standard input.")
  Path log = Path.of("-");

  @Option(
      names = "--set",
      paramLabel = "NAME=VALUE",
      description = "An attribute of all requests that the log does not have; repeatable.")
  Map<String, String> constants = new LinkedHashMap<>();

  @Option(
      names = "--callers",
      paramLabel = "N",
      defaultValue = "5",
      description = "Number of callers shown for each rule (${DEFAULT-VALUE}).")
  int callers = 5;

  @Option(
      names = "--skip-invalid",
      description = "Skips and counts lines that are not of the log's format.")
  boolean skipInvalid;

  @Mixin SimulationOutput output = new SimulationOutput();

  @Override
  public Integer call() throws Exception {
    RulesFileArgument rulesArgument = new RulesFileArgument(rulesFile);
    RulesFileArgument logArgument = new RulesFileArgument(log);
    List<Rule> rules = rulesArgument.read();
    AccessLog accessLog = new AccessLog(logArgument.name(), skipInvalid);
    try (LogReplay replay = new LogReplay(rules, constants);
        InputStream bytes = logArgument.open()) {
      int code =
          output.runAndPrint(
              () -> {
                readAll(accessLog, bytes, replay, logArgument.name());
                return replay.result(rulesArgument.name(), logArgument.name());
              });
      if (replay.anyRefused() && callers > 0) {
        output.print(replay.topCallers(callers));
      }
      printCaveats(accessLog, replay);
      return code;
    }
  }

  private static void readAll(
      AccessLog accessLog, InputStream bytes, LogReplay replay, String logName) {
    try {
      accessLog.forEach(bytes, replay::accept);
    } catch (IOException e) {
      throw new CommandException(logName + " cannot be read (" + e + ")", e);
    }
    if (replay.requests() == 0) {
      throw new CommandException(
          logName
              + " has no requests"
              + (accessLog.firstProblem().isEmpty() ? "" : "; " + accessLog.firstProblem()));
    }
  }

  private void printCaveats(AccessLog accessLog, LogReplay replay) {
    List<String> notes = new ArrayList<>(replay.caveats());
    if (accessLog.invalidLines() + accessLog.invalidRequests() > 0) {
      notes.add(
          "%s skipped (%d not of the log's format, %d not valid requests), the first: %s"
              .formatted(
                  TerminalText.countOf(
                      accessLog.invalidLines() + accessLog.invalidRequests(), "line"),
                  accessLog.invalidLines(),
                  accessLog.invalidRequests(),
                  accessLog.firstProblem()));
    }
    if (!notes.isEmpty()) {
      output.printNotes(notes);
    }
  }
}
