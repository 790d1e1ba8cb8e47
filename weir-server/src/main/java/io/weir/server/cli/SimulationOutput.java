package io.weir.server.cli;

import io.weir.lab.ExperimentResult;
import io.weir.lab.SvgPlot;
import io.weir.rule.Durations;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** How the lab's commands show what they found: tables, and a drawing if one is wanted. */
final class SimulationOutput {
  @Option(
      names = "--plot",
      paramLabel = "FILE",
      description = "Draws it to a file that ends in .svg, or in .html with the figures.")
  @Nullable Path plot;

  /** Makes an experiment and shows what it found. */
  int runAndPrint(CommandSpec spec, Callable<ExperimentResult> experiment) throws Exception {
    ExperimentResult finding;
    try {
      finding = experiment.call();
    } catch (IllegalArgumentException e) {
      throw new CommandException(String.valueOf(e.getMessage()), e);
    }
    TerminalOutput screen = TerminalOutput.of(spec.commandLine());
    screen.println(TerminalText.sanitize(finding.title()));
    screen.println("");
    TextTable figures = new TextTable("figure", "value");
    finding
        .figures()
        .forEach((name, value) -> figures.addRow(name, ExperimentResult.formatNumber(value)));
    screen.printTable(figures);
    if (!finding.rows().isEmpty()) {
      screen.println("");
      TextTable table = new TextTable(finding.headings().toArray(new String[0]));
      finding.rows().forEach(row -> table.addRow(row.toArray()));
      screen.printTable(table);
    }
    Path file = plot;
    if (file != null) {
      writePlot(finding, file);
      screen.println("");
      screen.println("drawn to " + TerminalText.sanitize(file.toString()));
    }
    return 0;
  }

  private static void writePlot(ExperimentResult finding, Path file) {
    String name = file.toString();
    if (!name.endsWith(".svg") && !name.endsWith(".html")) {
      throw new CommandException(
          "--plot "
              + TerminalText.sanitize(name)
              + " is no kind of drawing; write a name that ends in .svg or .html");
    }
    try {
      Files.writeString(file, name.endsWith(".svg") ? SvgPlot.svg(finding) : SvgPlot.html(finding));
    } catch (IOException e) {
      throw new CommandException(name + " cannot be written (" + e + "); name another file", e);
    }
  }

  /** A duration as rules write it; 0 needs no unit. */
  static Duration parseDuration(String text) {
    return text.equals("0") ? Duration.ZERO : Durations.parse(text);
  }
}
