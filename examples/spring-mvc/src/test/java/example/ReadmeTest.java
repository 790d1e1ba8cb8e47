package example;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The Spring snippets in README.md and docs/guide/spring-boot.md are parts of tested examples. */
class ReadmeTest {
  private static final Path ROOT = Path.of("..", "..");
  private static final Pattern EXAMPLE_BLOCK =
      Pattern.compile("```\\w+ example\n(.*?)```", Pattern.DOTALL);
  private static final List<String> SOURCES =
      List.of(
          "spring-mvc/pom.xml",
          "spring-mvc/src/main/java/example/QuoteApplication.java",
          "spring-mvc/src/test/java/example/QuoteApplicationTest.java",
          "spring-webflux/src/main/resources/application.yaml");

  @Test
  void documentedSnippets_areTakenFromExamples() throws Exception {
    StringBuilder examples = new StringBuilder();
    for (String source : SOURCES) {
      examples.append(
          normalizeWhitespace(Files.readString(ROOT.resolve("examples").resolve(source))));
    }
    int snippets = 0;
    for (String page : List.of("README.md", "docs/guide/spring-boot.md")) {
      Matcher block = EXAMPLE_BLOCK.matcher(Files.readString(ROOT.resolve(page)));
      for (; block.find(); snippets++) {
        for (String part : block.group(1).split("…", -1)) {
          assertThat(examples.toString())
              .as("snippet in %s", page)
              .contains(normalizeWhitespace(part));
        }
      }
    }
    assertThat(snippets).isGreaterThanOrEqualTo(4);
  }

  private static String normalizeWhitespace(String text) {
    return text.replaceAll("\\s+", " ").strip();
  }
}
