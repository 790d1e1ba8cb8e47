package io.weir.cli;

import io.weir.cli.repository.RuleRepositoryException;
import io.weir.rules.database.DatabaseException;
import io.weir.rules.database.StaleRevisionException;
import io.weir.rules.text.InvalidConfigurationException;
import io.weir.rules.text.NameSuggestion;
import io.weir.server.StartException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Prints the errors of commands: one line each, with a stack trace only on request. */
final class CliErrorReporter {
  /** picocli's message for a command that requires a subcommand and got none. */
  private static final String MISSING_SUBCOMMAND = "Missing required subcommand";

  private CliErrorReporter() {}

  /** Reports invalid arguments; returns the exit code. */
  static int reportInvalidArguments(ParameterException e, String[] arguments) {
    CommandLine line = e.getCommandLine();
    if (MISSING_SUBCOMMAND.equals(e.getMessage())) {
      line.usage(line.getErr());
      return Main.EXIT_ERROR;
    }
    String command = line.getCommandSpec().qualifiedName();
    String reason =
        e instanceof UnmatchedArgumentException unmatched
            ? unknownArgument(line, unmatched.getUnmatched().get(0))
            : TerminalText.sanitize(String.valueOf(e.getMessage())).replaceAll("\\.$", "");
    String advice = (reason.endsWith("?") ? " Try " : "; try ") + command + " --help";
    line.getErr().println("weir: " + reason + advice);
    return Main.EXIT_ERROR;
  }

  private static String unknownArgument(CommandLine line, String argument) {
    boolean option = argument.startsWith("-");
    List<String> known =
        option ? optionNames(line) : new ArrayList<>(line.getSubcommands().keySet());
    String name = option ? argument.replaceAll("=.*", "") : argument;
    String kind = option ? "option" : line.getSubcommands().isEmpty() ? "argument" : "command";
    String nearest =
        NameSuggestion.closest(name, known).map(near -> ", did you mean " + near + "?").orElse("");
    return "unknown " + kind + " '" + TerminalText.sanitize(name) + "'" + nearest;
  }

  private static List<String> optionNames(CommandLine line) {
    List<String> names = new ArrayList<>();
    for (OptionSpec option : line.getCommandSpec().options()) {
      Collections.addAll(names, option.names());
    }
    return names;
  }

  /**
   * Reports a command that failed; returns the exit code.
   *
   * @param stackTrace whether to print the stack trace as well
   */
  static int reportFailure(Throwable e, PrintWriter err, boolean stackTrace) {
    String message = String.valueOf(e.getMessage());
    if (e instanceof InvalidConfigurationException) {
      err.println(message); // one line per problem, in the file:line:column form that editors parse
    } else if (isExpected(e)) {
      err.println("weir: " + message);
    } else {
      String summary = TerminalText.sanitize(e.getClass().getSimpleName() + ": " + message);
      err.println("weir: unexpected error: " + summary + "; --verbose prints the stack trace");
    }
    if (stackTrace) {
      e.printStackTrace(err);
    }
    return Main.EXIT_ERROR;
  }

  private static boolean isExpected(Throwable e) {
    return e instanceof CommandException
        || e instanceof StartException
        || e instanceof RuleRepositoryException
        || e instanceof DatabaseException
        || e instanceof StaleRevisionException;
  }
}
