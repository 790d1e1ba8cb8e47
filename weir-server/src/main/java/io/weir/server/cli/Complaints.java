package io.weir.server.cli;

import io.weir.rules.database.DatabaseException;
import io.weir.rules.database.StaleRevisionException;
import io.weir.rules.text.Nearest;
import io.weir.rules.text.TextException;
import io.weir.server.StartException;
import io.weir.server.home.HomeException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** What is said when a command cannot do its work: one line, never a stack unless asked for. */
final class Complaints {
  /** What the library says of a command that has commands and was given none. */
  private static final String MISSING = "Missing required subcommand";

  private Complaints() {}

  /** Of arguments that mean nothing. */
  static int unread(ParameterException e, String[] arguments) {
    CommandLine line = e.getCommandLine();
    if (MISSING.equals(e.getMessage())) {
      line.usage(line.getErr());
      return Main.WRONG;
    }
    String command = line.getCommandSpec().qualifiedName();
    String reason =
        e instanceof UnmatchedArgumentException unmatched
            ? unknown(line, unmatched.getUnmatched().get(0))
            : Words.line(String.valueOf(e.getMessage())).replaceAll("\\.$", "");
    String advice = (reason.endsWith("?") ? " Try " : "; try ") + command + " --help";
    line.getErr().println("weir: " + reason + advice);
    return Main.WRONG;
  }

  private static String unknown(CommandLine line, String argument) {
    boolean option = argument.startsWith("-");
    List<String> known = option ? options(line) : new ArrayList<>(line.getSubcommands().keySet());
    String name = option ? argument.replaceAll("=.*", "") : argument;
    String what = option ? "option" : line.getSubcommands().isEmpty() ? "argument" : "command";
    String nearest = Nearest.to(name, known).map(near -> ", did you mean " + near + "?").orElse("");
    return "there is no " + what + " '" + Words.line(name) + "'" + nearest;
  }

  private static List<String> options(CommandLine line) {
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
  static int failed(Throwable e, PrintWriter err, boolean where) {
    String message = String.valueOf(e.getMessage());
    if (e instanceof TextException) {
      err.println(message); // a line for each problem, in the form that editors know
    } else if (isExpected(e)) {
      err.println("weir: " + message);
    } else {
      String told = Words.line(e.getClass().getSimpleName() + ": " + message);
      err.println("weir: this was not expected: " + told + "; --verbose shows where it happened");
    }
    if (where) {
      e.printStackTrace(err);
    }
    return Main.WRONG;
  }

  private static boolean isExpected(Throwable e) {
    return e instanceof CommandException
        || e instanceof StartException
        || e instanceof HomeException
        || e instanceof DatabaseException
        || e instanceof StaleRevisionException;
  }
}
