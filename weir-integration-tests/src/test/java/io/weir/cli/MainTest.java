package io.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/** What all commands have in common: help, errors and colors. */
class MainTest {

  /** Returns the name of every command as a list of words. */
  static Stream<List<String>> commands() {
    List<List<String>> all = new ArrayList<>();
    collectCommands(Main.commandLine(), List.of(), all);
    return all.stream();
  }

  private static void collectCommands(
      CommandLine line, List<String> words, List<List<String>> all) {
    all.add(words);
    line.getSubcommands()
        .forEach(
            (name, command) ->
                collectCommands(
                    command, Stream.concat(words.stream(), Stream.of(name)).toList(), all));
  }

  private static CommandRun run(List<String> words, String... more) {
    return CommandRun.of(Stream.concat(words.stream(), Stream.of(more)).toArray(String[]::new));
  }

  @ParameterizedTest
  @MethodSource("commands")
  void everyCommand_printsHelpAndVersion(List<String> words) {
    CommandRun help = run(words, "--help");
    assertThat(help.exitCode()).isZero();
    assertThat(help.err()).isEmpty();
    assertThat(help.out())
        .startsWith(
            "Usage: " + String.join(" ", Stream.concat(Stream.of("weir"), words.stream()).toList()))
        .contains("--help", "--verbose", "\nExit codes:\n  0   ")
        .doesNotContain("\u001b");
    assertThat(help.out().lines()).allMatch(line -> line.length() <= 100);
    boolean withoutExamples = words.isEmpty();
    if (!withoutExamples) {
      assertThat(help.out()).contains("\nExamples:\n  ");
    }
    assertThat(run(words, "--version").out()).startsWith("weir ").contains(" on Java ");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "sreve|unknown command 'sreve', did you mean serve? Try weir --help",
        "frobnicate|unknown command 'frobnicate'; try weir --help",
        "--colour|unknown option '--colour'; try weir --help",
        "serve --htpp-port=1|unknown option '--htpp-port', did you mean --http-port? Try weir serve --help",
        "serve more|unknown argument 'more'; try weir serve --help",
        "serve --http-port|Missing required parameter for option '--http-port' (PORT); try weir serve --help",
        "rules validate|Missing required parameter: 'FILE'; try weir rules validate --help",
        "rules list --yaml --json|",
      })
  void unknownArgument_isOneLineErrorWithHint(String arguments, String reason) {
    CommandRun ran = CommandRun.of(arguments.split(" ", -1));
    assertThat(ran.exitCode()).isEqualTo(Main.EXIT_ERROR);
    assertThat(ran.out()).isEmpty();
    assertThat(ran.err()).hasLineCount(1).startsWith("weir: ");
    if (reason != null) {
      assertThat(ran.err()).isEqualTo("weir: " + reason + "\n");
    }
  }

  @Test
  void noCommand_printsUsage() {
    CommandRun ran = CommandRun.of();
    assertThat(ran.exitCode()).isEqualTo(Main.EXIT_ERROR);
    assertThat(ran.err()).startsWith("Usage: weir").contains("serve", "check", "doctor");
  }

  @Test
  void stackTrace_isPrintedOnlyWithVerbose() {
    String[] words = {"check", "--server", "http://127.0.0.1:1"};
    assertThat(CommandRun.of(words).err()).hasLineCount(1);
    assertThat(run(List.of(words), "--verbose").err())
        .startsWith("weir: http://127.0.0.1:1 cannot be reached")
        .contains("\n\tat io.weir.cli.");
    assertThat(run(List.of("-v"), words).err()).contains("\n\tat ");
  }

  @Test
  void unexpectedException_isOneLineError() {
    StringWriter err = new StringWriter();
    Throwable bug = new IllegalStateException("first\nsecond \u001b[31m");
    int code = CliErrorReporter.reportFailure(bug, new PrintWriter(err, true), false);
    assertThat(code).isEqualTo(Main.EXIT_ERROR);
    assertThat(err.toString())
        .isEqualTo(
            "weir: unexpected error: IllegalStateException: first second  [31m;"
                + " --verbose prints the stack trace\n");
  }

  @Test
  void ansiEnabled_textIsColored() {
    StringWriter out = new StringWriter();
    TerminalOutput plain = new TerminalOutput(new PrintWriter(out), Ansi.OFF);
    TerminalOutput colored = new TerminalOutput(new PrintWriter(out), Ansi.ON);
    assertThat(plain.success("ok")).isEqualTo("ok");
    assertThat(colored.success("ok")).startsWith("\u001b[").endsWith("\u001b[0m").contains("ok");
  }
}
