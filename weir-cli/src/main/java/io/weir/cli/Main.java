package io.weir.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.util.Map;
import java.util.logging.Level;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.ScopeType;

/** The entry point of {@code weir}: runs the command and reports errors in one line. */
@Command(
    name = "weir",
    description = "A distributed rate limiter: exact, fast, and available when its store is not.",
    synopsisSubcommandLabel = "COMMAND",
    footerHeading = "",
    footer = {"", "Start with @|bold weir demo|@; every command has --help."},
    exitCodeList = {
      "0:success",
      "1:error (details on stderr)",
      "2:refused (check), or different (rules diff)"
    })
public final class Main {
  static final int EXIT_ERROR = 1;

  private static final int USAGE_WIDTH = 100;

  @Option(
      names = {"-v", "--verbose"},
      scope = ScopeType.INHERIT,
      description = "Prints the stack trace of an error.")
  boolean verbose;

  private Main() {}

  public static void main(String[] args) {
    CommandLine line = commandLine();
    line.setOut(writer(System.out)).setErr(writer(System.err));
    line.setExecutionStrategy(
        parsed -> {
          LoggingSetup.configure(line.<Main>getCommand().verbose ? Level.INFO : logLevel(parsed));
          return new CommandLine.RunLast().execute(parsed);
        });
    int code;
    try {
      code = line.execute(args);
    } catch (Throwable e) { // such as an OutOfMemoryError
      code = CliErrorReporter.reportFailure(e, line.getErr(), line.<Main>getCommand().verbose);
    }
    line.getOut().flush();
    line.getErr().flush();
    System.exit(code);
  }

  /** Returns all commands; the caller sets the output. */
  static CommandLine commandLine() {
    return commandLine(System.getenv());
  }

  static CommandLine commandLine(Map<String, String> environment) {
    CommandLine line = new CommandLine(new Main());
    line.addSubcommand(ServeCommand.spec(environment));
    line.addSubcommand(DemoCommand.spec(environment));
    line.addSubcommand(new CheckCommand());
    line.addSubcommand(RulesCommand.commandLine(environment));
    line.addSubcommand(DoctorCommand.spec(environment));
    line.addSubcommand(SimulateCommand.commandLine());
    line.addSubcommand(new CompletionCommand());
    configureHelp(line);
    line.setExpandAtFiles(false); // an attribute may begin with @
    line.setParameterExceptionHandler(CliErrorReporter::reportInvalidArguments);
    line.setExecutionExceptionHandler(
        (e, command, parsed) ->
            CliErrorReporter.reportFailure(e, command.getErr(), line.<Main>getCommand().verbose));
    return line;
  }

  /** Configures what the help of all commands has in common. */
  private static void configureHelp(CommandLine line) {
    CommandSpec spec = line.getCommandSpec().versionProvider(new CliVersionProvider());
    if (!spec.mixinStandardHelpOptions()) {
      spec.mixinStandardHelpOptions(true);
    }
    var usage = spec.usageMessage().width(USAGE_WIDTH).exitCodeListHeading("%nExit codes:%n");
    if (usage.exitCodeList().isEmpty()) {
      usage.exitCodeList(spec.parent().usageMessage().exitCodeList());
    }
    if (usage.footerHeading().isEmpty() && usage.footer().length > 0 && line.getParent() != null) {
      usage.footerHeading("%nExamples:%n");
    }
    line.getSubcommands().values().forEach(Main::configureHelp);
  }

  /** The server logs; the demo logs only warnings, since its output is on the terminal. */
  private static Level logLevel(ParseResult parsed) {
    return switch (parsed.hasSubcommand() ? parsed.subcommand().commandSpec().name() : "") {
      case "serve" -> Level.INFO;
      case "demo" -> Level.WARNING;
      default -> Level.OFF;
    };
  }

  /** Writes UTF-8 in an ASCII locale: that is mostly a container, whose terminal can show it. */
  private static PrintWriter writer(OutputStream stream) {
    String name = System.getProperty("stdout.encoding", System.getProperty("native.encoding"));
    Charset charset = name == null || !Charset.isSupported(name) ? UTF_8 : Charset.forName(name);
    return new PrintWriter(
        new OutputStreamWriter(stream, charset.equals(US_ASCII) ? UTF_8 : charset), true);
  }
}
