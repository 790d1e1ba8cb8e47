package io.weir.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.weir.rules.Rules;
import io.weir.server.Block;
import io.weir.server.config.Config;
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
 * Everything in README.md and docs that can be copied is run by a test, or says on the line before
 * who runs it or why nobody does: {@code <!-- run by NginxTest -->}, {@code <!-- not run: why -->}.
 */
class DocsTest {
  /** What {@link DocsCommandsTest} runs. */
  static final Pattern COMMAND = Pattern.compile("(?:(?:\\./)?weir|curl) .*|[A-Z]\\w*=.*");

  private static final Pattern RUNNER = Pattern.compile("\\w+(?:Test|Contract)\\b|\\.ci/\\w+");
  private static final Pattern NAMED =
      Pattern.compile("`(?:\\./)?weir ([^`\n]+)`|`(--[a-z][\\w-]*)[^`\n]*`");
  private static final Pattern COMMENTS = Pattern.compile("(?m)^#.*\n");

  /** The kinds that other tests run, and of which pages. */
  private static final Map<String, List<String>> ELSEWHERE =
      Map.of(
          "java", List.of("README.md", "docs/http.md", "docs/rules.md", "docs/client.md"),
          "java servlet", List.of("docs/spring.md"),
          "java client", List.of("README.md"),
          "java example", List.of("README.md", "docs/spring.md"),
          "xml example", List.of("README.md", "docs/spring.md"),
          "yaml example", List.of("docs/spring.md"));

  private static final Set<String> TESTS = new HashSet<>();

  @BeforeAll
  static void find() throws IOException {
    try (Stream<Path> modules = Files.list(Block.ROOT)) {
      for (Path module : modules.map(m -> m.resolve("src/test")).filter(Files::exists).toList()) {
        try (Stream<Path> files = Files.walk(module)) {
          files.forEach(f -> TESTS.add(String.valueOf(f.getFileName()).replace(".java", "")));
        }
      }
    }
  }

  static Stream<Block> blocks() {
    return Block.pages().stream().flatMap(page -> Block.of(page).stream());
  }

  @ParameterizedTest
  @MethodSource("blocks")
  void isRunOrMarked(Block block, @TempDir Path folder) throws IOException {
    if (block.mark().isPresent()) {
      holds(block.mark().get());
    } else if (block.isShell()) {
      assertThat(block.commands())
          .as("%s: mark it, or fence what is no command as text", block)
          .allMatch(COMMAND.asMatchPredicate());
    } else if (block.kind().equals("yaml")) {
      reads(block.text(), folder);
    } else if (block.kind().equals("json")) {
      assertThat(new JsonObject(block.text())).isNotEmpty();
    } else if (!block.kind().equals("text")) {
      assertThat(ELSEWHERE.getOrDefault(block.kind(), List.of()))
          .as("%s: pages whose blocks of %s are run", block, block.kind())
          .contains(block.page());
    }
  }

  @ParameterizedTest
  @MethodSource("io.weir.server.Block#pages")
  void whatSentencesNameExists(String page) throws IOException {
    String flags =
        Files.readString(Block.ROOT.resolve("docs/cli.md"))
            + Files.readString(Block.ROOT.resolve("bench"));
    NAMED
        .matcher(Files.readString(Block.ROOT.resolve(page)))
        .results()
        .forEach(
            named -> {
              if (named.group(1) != null) {
                exists(named.group(1));
              } else {
                assertThat(flags).containsPattern(named.group(2) + "(?![\\w-])");
              }
            });
  }

  private static void exists(String words) {
    CommandLine command = Main.commandLine(Map.of());
    for (String word : words.split(" ", -1)) {
      if (command.getSubcommands().containsKey(word)) {
        command = command.getSubcommands().get(word);
      } else if (word.startsWith("-")) {
        assertThat(command.getCommandSpec().optionsMap()).as(words).containsKey(word);
      } else {
        assertThat(command.getSubcommands()).as("%s is no command: %s", word, words).isEmpty();
      }
    }
  }

  private static void holds(String mark) {
    if (mark.startsWith("not run")) {
      assertThat(mark).as("why it is not run").matches("not run: .+");
    }
    RUNNER
        .matcher(mark)
        .results()
        .map(runner -> runner.group())
        .forEach(
            runner ->
                assertThat(TESTS.contains(runner) || Files.exists(Block.ROOT.resolve(runner)))
                    .as("%s exists", runner)
                    .isTrue());
    assertThat(!mark.startsWith("run by") || RUNNER.matcher(mark).find()).as(mark).isTrue();
  }

  private static void reads(String yaml, Path folder) throws IOException {
    if (COMMENTS.matcher(yaml).replaceAll("").startsWith("rules:")) {
      assertThat(Rules.parse(yaml)).isNotNull();
    } else {
      Path file = Files.writeString(folder.resolve("weir.yaml"), yaml.replace("…", "x"));
      assertThat(Config.read(Map.of(), Map.of(), Optional.of(file))).isNotNull();
    }
  }
}
