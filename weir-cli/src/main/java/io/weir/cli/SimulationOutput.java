package io.weir.cli;

import io.weir.internal.Durations;
import io.weir.lab.ExperimentResult;
import io.weir.lab.SvgPlot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Prints the result of a simulation as tables, and writes a plot if {@code --plot} is given. */
final class SimulationOutput {
  @Option(
      names = "--plot",
      paramLabel = "FILE",
      description = "Plots the result to a .svg file, or to an .html file with the figures.")
  @Nullable Path plot;

  @Spec(Spec.Target.MIXEE)
  CommandSpec spec;

  /** Runs an experiment and prints its result; returns the exit code. */
  int runAndPrint(Callable<ExperimentResult> experiment) throws Exception {
    ExperimentResult finding;
    try {
      finding = experiment.call();
    } catch (IllegalArgumentException e) {
      throw new CommandException(String.valueOf(e.getMessage()), e);
    }
    TerminalOutput output = TerminalOutput.of(spec.commandLine());
    output.println(TerminalText.sanitize(finding.title()));
    output.println("");
    TextTable figures = new TextTable("figure", "value");
    finding
        .figures()
        .forEach((name, value) -> figures.addRow(name, ExperimentResult.formatNumber(value)));
    output.printTable(figures);
    if (!finding.rows().isEmpty()) {
      output.println("");
      TextTable table = new TextTable(finding.headings().toArray(new String[0]));
      finding.rows().forEach(row -> table.addRow(row.toArray()));
      output.printTable(table);
    }
    Path file = plot;
    if (file != null) {
      writePlot(finding, file);
      output.println("");
      output.println("plot written to " + TerminalText.sanitize(file.toString()));
    }
    return 0;
  }

  /** Prints another table below the result. */
  void print(TextTable table) {
    TerminalOutput output = TerminalOutput.of(spec.commandLine());
    output.println("");
    output.printTable(table);
  }

  /** Prints what limits the meaning of the result. */
  void printNotes(List<String> notes) {
    TerminalOutput output = TerminalOutput.of(spec.commandLine());
    output.println("");
    notes.forEach(
        note -> output.println(output.warning("note") + ": " + TerminalText.sanitize(note)));
  }

  private static void writePlot(ExperimentResult finding, Path file) {
    String name = file.toString();
    if (!name.endsWith(".svg") && !name.endsWith(".html")) {
      throw new CommandException(
          "--plot must end in .svg or .html (was '"
              + TerminalText.sanitize(name)
              + "'), for example plot.svg");
    }
    try {
      Files.writeString(file, name.endsWith(".svg") ? SvgPlot.svg(finding) : SvgPlot.html(finding));
    } catch (IOException e) {
      throw new CommandException(name + " cannot be written (" + e + "); use another file", e);
    }
  }

  /** Parses a duration in the syntax of rules; 0 needs no unit. */
  static Duration parseDuration(String text) {
    return text.equals("0") ? Duration.ZERO : Durations.parse(text);
  }
}
