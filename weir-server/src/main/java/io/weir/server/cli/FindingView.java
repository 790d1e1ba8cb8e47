package io.weir.server.cli;

import io.weir.lab.Finding;
import io.weir.lab.Plot;
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
final class FindingView {
  @Option(
      names = "--plot",
      paramLabel = "FILE",
      description = "Draws it to a file that ends in .svg, or in .html with the figures.")
  @Nullable Path plot;

  /** Makes an experiment and shows what it found. */
  int show(CommandSpec spec, Callable<Finding> experiment) throws Exception {
    Finding finding;
    try {
      finding = experiment.call();
    } catch (IllegalArgumentException e) {
      throw new CommandException(String.valueOf(e.getMessage()), e);
    }
    Screen screen = Screen.of(spec.commandLine());
    screen.line(Words.line(finding.title()));
    screen.line("");
    Table figures = new Table("figure", "value");
    finding.figures().forEach((name, value) -> figures.row(name, Finding.number(value)));
    screen.table(figures);
    if (!finding.rows().isEmpty()) {
      screen.line("");
      Table table = new Table(finding.headings().toArray(new String[0]));
      finding.rows().forEach(row -> table.row(row.toArray()));
      screen.table(table);
    }
    Path file = plot;
    if (file != null) {
      draw(finding, file);
      screen.line("");
      screen.line("drawn to " + Words.line(file.toString()));
    }
    return 0;
  }

  private static void draw(Finding finding, Path file) {
    String name = file.toString();
    if (!name.endsWith(".svg") && !name.endsWith(".html")) {
      throw new CommandException(
          "--plot "
              + Words.line(name)
              + " is no kind of drawing; write a name that ends in .svg or .html");
    }
    try {
      Files.writeString(file, name.endsWith(".svg") ? Plot.svg(finding) : Plot.html(finding));
    } catch (IOException e) {
      throw new CommandException(name + " cannot be written (" + e + "); name another file", e);
    }
  }

  /** A duration as rules write it; 0 needs no unit. */
  static Duration time(String text) {
    return text.equals("0") ? Duration.ZERO : Durations.parse(text);
  }
}
