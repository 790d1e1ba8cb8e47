package io.weir.server.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import picocli.CommandLine;

/** How a command ended that was run in this process, and what it wrote. */
record Ran(int code, String out, String err) {

  static Ran of(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine line = Main.commandLine();
    line.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    int code = line.execute(arguments);
    return new Ran(code, out.toString(), err.toString());
  }
}
