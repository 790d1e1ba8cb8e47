package io.weir.cli;

import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Help.Ansi.Style;

/** The standard output of a command, with colors if it is a terminal. */
record TerminalOutput(PrintWriter out, Ansi ansi) {

  static TerminalOutput of(CommandLine line) {
    return new TerminalOutput(line.getOut(), line.getColorScheme().ansi());
  }

  /** Prints a line and flushes it, so that progress is visible at once. */
  void println(String text) {
    out.println(text);
    out.flush();
  }

  void printLines(List<String> lines) {
    lines.forEach(this::println);
  }

  /** Prints a table with its headings in bold. */
  void printTable(TextTable table) {
    List<String> lines = table.lines();
    println(styled(lines.get(0), Style.bold));
    printLines(lines.subList(1, lines.size()));
  }

  String success(String text) {
    return styled(text, Style.bold, Style.fg_green);
  }

  String error(String text) {
    return styled(text, Style.bold, Style.fg_red);
  }

  String warning(String text) {
    return styled(text, Style.bold, Style.fg_yellow);
  }

  private String styled(String text, Style... styles) {
    return ansi.enabled() ? Style.on(styles) + text + Style.reset.on() : text;
  }
}
