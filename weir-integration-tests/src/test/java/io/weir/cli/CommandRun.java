package io.weir.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import picocli.CommandLine;

/** The exit code and output of a command that was run in this process. */
record CommandRun(int exitCode, String out, String err) {

  static CommandRun of(String... arguments) {
    return of(Map.of(), arguments);
  }

  /** Runs a command with the given environment variables. */
  static CommandRun of(Map<String, String> environment, String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine line = Main.commandLine(environment);
    line.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    int code = line.execute(arguments);
    return new CommandRun(code, out.toString(), err.toString());
  }
}
