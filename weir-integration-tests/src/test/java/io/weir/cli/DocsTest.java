package io.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.weir.rules.Rules;
import io.weir.server.DocumentationExample;
import io.weir.server.config.ServerConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/**
 * Every code block in README.md and docs is run by a test, or marked on the line before with the
 * test that runs it or the reason why it is not run: {@code <!-- run by NginxTest -->}, {@code <!--
 * not run: why -->}.
 */
class DocsTest {
  /** The commands that {@link DocsCommandsTest} runs. */
  static final Pattern COMMAND = Pattern.compile("(?:(?:\\./)?weir|curl) .*|[A-Z]\\w*=.*");

  private static final Pattern RUNNER = Pattern.compile("\\w+(?:Test|Contract)\\b|\\.ci/\\w+");
  private static final Pattern COMMAND_OR_FLAG =
      Pattern.compile("`(?:\\./)?weir ([^`\n]+)`|`(--[a-z][\\w-]*)[^`\n]*`");
  private static final Pattern COMMENTS = Pattern.compile("(?m)^#.*\n");

  /** The kinds of blocks that other tests run, with their pages. */
  private static final Map<String, List<String>> RUN_BY_OTHER_TESTS =
      Map.of(
          "java",
              List.of(
                  "README.md",
                  "docs/guide/client.md",
                  "docs/guide/http-callers-and-headers.md",
                  "docs/guide/java-library.md",
                  "docs/guide/rules.md"),
          "java servlet", List.of("docs/guide/spring-boot.md"),
          "java client", List.of("README.md"),
          "java example", List.of("README.md", "docs/guide/spring-boot.md"),
          "xml example", List.of("README.md", "docs/guide/spring-boot.md"),
          "yaml example", List.of("docs/guide/spring-boot.md"));

  private static final Set<String> TESTS = new HashSet<>();

  @BeforeAll
  static void findTests() throws IOException {
    try (Stream<Path> modules = Files.list(DocumentationExample.PROJECT_ROOT)) {
      for (Path module : modules.map(m -> m.resolve("src/test")).filter(Files::exists).toList()) {
        try (Stream<Path> files = Files.walk(module)) {
          files.forEach(f -> TESTS.add(String.valueOf(f.getFileName()).replace(".java", "")));
        }
      }
    }
  }

  static Stream<DocumentationExample> blocks() {
    return DocumentationExample.pages().stream()
        .flatMap(page -> DocumentationExample.readPage(page).stream());
  }

  @ParameterizedTest
  @MethodSource("blocks")
  void codeBlock_isRunOrMarked(DocumentationExample block, @TempDir Path folder)
      throws IOException {
    if (block.marker().isPresent()) {
      assertValidMark(block.marker().get());
    } else if (block.isShell()) {
      assertThat(block.commands())
          .as("%s: mark the block, or fence it as text if it is not a command", block)
          .allMatch(COMMAND.asMatchPredicate());
    } else if (block.language().equals("yaml")) {
      assertReadable(block.text(), folder);
    } else if (block.language().equals("json")) {
      assertThat(new JsonObject(block.text())).isNotEmpty();
    } else if (!block.language().equals("text")) {
      assertThat(RUN_BY_OTHER_TESTS.getOrDefault(block.language(), List.of()))
          .as("%s: pages whose blocks of %s are run", block, block.language())
          .contains(block.page());
    }
  }

  @ParameterizedTest
  @MethodSource("io.weir.server.DocumentationExample#pages")
  void commandsAndFlagsInProse_exist(String page) throws IOException {
    String flags =
        Files.readString(DocumentationExample.PROJECT_ROOT.resolve("docs/operate/cli.md"))
            + Files.readString(DocumentationExample.PROJECT_ROOT.resolve("bench"));
    COMMAND_OR_FLAG
        .matcher(Files.readString(DocumentationExample.PROJECT_ROOT.resolve(page)))
        .results()
        .forEach(
            named -> {
              if (named.group(1) != null) {
                assertCommandExists(named.group(1));
              } else {
                assertThat(flags).containsPattern(named.group(2) + "(?![\\w-])");
              }
            });
  }

  private static void assertCommandExists(String words) {
    CommandLine command = Main.commandLine(Map.of());
    for (String word : words.split(" ", -1)) {
      if (command.getSubcommands().containsKey(word)) {
        command = command.getSubcommands().get(word);
      } else if (word.startsWith("-")) {
        assertThat(command.getCommandSpec().optionsMap()).as(words).containsKey(word);
      } else {
        assertThat(command.getSubcommands()).as("%s is not a command: %s", word, words).isEmpty();
      }
    }
  }

  private static void assertValidMark(String mark) {
    if (mark.startsWith("not run")) {
      assertThat(mark).as("reason why it is not run").matches("not run: .+");
    }
    RUNNER
        .matcher(mark)
        .results()
        .map(runner -> runner.group())
        .forEach(
            runner ->
                assertThat(
                        TESTS.contains(runner)
                            || Files.exists(DocumentationExample.PROJECT_ROOT.resolve(runner)))
                    .as("%s exists", runner)
                    .isTrue());
    assertThat(!mark.startsWith("run by") || RUNNER.matcher(mark).find()).as(mark).isTrue();
  }

  private static void assertReadable(String yaml, Path folder) throws IOException {
    if (COMMENTS.matcher(yaml).replaceAll("").startsWith("rules:")) {
      assertThat(Rules.parse(yaml)).isNotNull();
    } else {
      Path file = Files.writeString(folder.resolve("weir.yaml"), yaml.replace("…", "x"));
      assertThat(ServerConfig.read(Map.of(), Map.of(), Optional.of(file))).isNotNull();
    }
  }
}
