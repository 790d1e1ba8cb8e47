package example;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What the README and docs/spring.md show of Spring is the source of an example that is run. */
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
    StringBuilder run = new StringBuilder();
    for (String source : SOURCES) {
      run.append(normalizeWhitespace(Files.readString(ROOT.resolve("examples").resolve(source))));
    }
    int shown = 0;
    for (String page : List.of("README.md", "docs/spring.md")) {
      Matcher block = EXAMPLE_BLOCK.matcher(Files.readString(ROOT.resolve(page)));
      for (; block.find(); shown++) {
        for (String part : block.group(1).split("…", -1)) {
          assertThat(run.toString()).as("what %s shows", page).contains(normalizeWhitespace(part));
        }
      }
    }
    assertThat(shown).isGreaterThanOrEqualTo(4);
  }

  private static String normalizeWhitespace(String text) {
    return text.replaceAll("\\s+", " ").strip();
  }
}
