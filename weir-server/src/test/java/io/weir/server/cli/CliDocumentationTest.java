package io.weir.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * {@code docs/cli.md} says what {@code --help} says; {@code -Dweir.docs=write} writes it anew.
 *
 * <p>{@code mvn -pl weir-server -am test -Dtest=DocumentedTest
 * -Dsurefire.failIfNoSpecifiedTests=false -Dweir.docs=write}
 */
class CliDocumentationTest {
  private static final Path DOCUMENT = Path.of("..", "docs", "cli.md");
  private static final String INTRODUCTION =
      """
      # The command line

      This is what `--help` says, written by a test (`DocumentedTest`); do not edit it by hand.
      Run `./weir` from the sources, or `java -jar weir-server.jar`.

      What is wrong is said in one line on the error output, with what to write instead; problems of
      a file have a line each, `file:line:column: rule: field: reason`. `--verbose` adds where in the
      program it happened. Colours are for terminals only; `NO_COLOR=1` turns them off there too.
      """;

  @Test
  void cliDocument_equalsHelpOutput() throws IOException {
    String text =
        MainTest.commands()
            .map(CliDocumentationTest::section)
            .collect(Collectors.joining("", INTRODUCTION, ""));
    if ("write".equals(System.getProperty("weir.docs"))) {
      Files.writeString(DOCUMENT, text);
    }
    assertThat(Files.readString(DOCUMENT))
        .as("docs/cli.md is old; run this test with -Dweir.docs=write")
        .isEqualTo(text);
  }

  private static String section(List<String> words) {
    String help =
        CommandRun.of(Stream.concat(words.stream(), Stream.of("--help")).toArray(String[]::new))
            .out();
    String name = Stream.concat(Stream.of("weir"), words.stream()).collect(Collectors.joining(" "));
    return "\n## " + name + "\n\n```text\n" + help.stripTrailing() + "\n```\n";
  }
}
