package io.weir.server.cli;

import io.weir.rules.database.DatabaseException;
import io.weir.rules.database.StaleRevisionException;
import io.weir.rules.text.InvalidConfigurationException;
import io.weir.rules.text.NameSuggestion;
import io.weir.server.StartException;
import io.weir.server.home.RuleRepositoryException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** What is said when a command cannot do its work: one line, never a stack unless asked for. */
final class CliErrorReporter {
  /** What the library says of a command that has commands and was given none. */
  private static final String MISSING_SUBCOMMAND = "Missing required subcommand";

  private CliErrorReporter() {}

  /** Of arguments that mean nothing. */
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
    String what = option ? "option" : line.getSubcommands().isEmpty() ? "argument" : "command";
    String nearest =
        NameSuggestion.closest(name, known).map(near -> ", did you mean " + near + "?").orElse("");
    return "there is no " + what + " '" + TerminalText.sanitize(name) + "'" + nearest;
  }

  private static List<String> optionNames(CommandLine line) {
    List<String> names = new ArrayList<>();
    for (OptionSpec option : line.getCommandSpec().options()) {
      Collections.addAll(names, option.names());
    }
    return names;
  }

  /**
   * Of work that failed.
   *
   * @param where whether to show where in the program it did
   */
  static int reportFailure(Throwable e, PrintWriter err, boolean where) {
    String message = String.valueOf(e.getMessage());
    if (e instanceof InvalidConfigurationException) {
      err.println(message); // a line for each problem, in the form that editors know
    } else if (isExpected(e)) {
      err.println("weir: " + message);
    } else {
      String told = TerminalText.sanitize(e.getClass().getSimpleName() + ": " + message);
      err.println("weir: this was not expected: " + told + "; --verbose shows where it happened");
    }
    if (where) {
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
