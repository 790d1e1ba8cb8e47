package io.weir.server.cli;

import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Help.Ansi.Style;

/** Where a command writes, with colours where somebody sees them. */
record Screen(PrintWriter out, Ansi ansi) {

  static Screen of(CommandLine line) {
    return new Screen(line.getOut(), line.getColorScheme().ansi());
  }

  /** Writes a line at once, for those who watch. */
  void line(String text) {
    out.println(text);
    out.flush();
  }

  void lines(List<String> lines) {
    lines.forEach(this::line);
  }

  /** The headings of a table, and below them its rows. */
  void table(Table table) {
    List<String> lines = table.lines();
    line(paint(lines.get(0), Style.bold));
    lines(lines.subList(1, lines.size()));
  }

  String good(String text) {
    return paint(text, Style.bold, Style.fg_green);
  }

  String bad(String text) {
    return paint(text, Style.bold, Style.fg_red);
  }

  String doubtful(String text) {
    return paint(text, Style.bold, Style.fg_yellow);
  }

  private String paint(String text, Style... styles) {
    return ansi.enabled() ? Style.on(styles) + text + Style.reset.on() : text;
  }
}
