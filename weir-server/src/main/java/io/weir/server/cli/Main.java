package io.weir.server.cli;

import io.weir.rules.text.TextException;
import io.weir.server.StartException;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Where {@code weir} begins: finds the command, and turns what goes wrong into one line. */
@Command(
    name = "weir",
    description =
        "A distributed rate limiter: exact, fast, and still deciding when its store is gone.",
    mixinStandardHelpOptions = true,
    version = "weir 0.1.0",
    synopsisSubcommandLabel = "COMMAND",
    footer = {
      "",
      "Begin with @|bold weir demo|@; every command explains itself with --help.",
      "Exit codes: 0 well, 1 something is wrong, 2 refused (weir check)."
    })
public final class Main {
  static final int WRONG = 1;

  private Main() {}

  public static void main(String[] args) {
    Logs.set();
    System.exit(commandLine().execute(args));
  }

  /** All commands, with the output they write to still to be said. */
  static CommandLine commandLine() {
    CommandLine line = new CommandLine(new Main());
    line.addSubcommand(Serve.spec());
    line.addSubcommand(new Demo());
    line.setParameterExceptionHandler(
        (e, args) -> {
          PrintWriter err = e.getCommandLine().getErr();
          err.println("weir: " + e.getMessage());
          if (!CommandLine.UnmatchedArgumentException.printSuggestions(e, err)) {
            String name = e.getCommandLine().getCommandSpec().qualifiedName();
            err.println("Try '" + name + " --help'.");
          }
          return WRONG;
        });
    line.setExecutionExceptionHandler(
        (e, command, parsed) -> {
          if (e instanceof StartException || e instanceof TextException) {
            command.getErr().println("weir: " + e.getMessage());
            return WRONG;
          }
          throw e;
        });
    line.setExecutionStrategy(new CommandLine.RunLast());
    return line;
  }
}
